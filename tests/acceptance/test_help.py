"""Help is an answer: it goes to standard output, says whole sentences, and is plain text."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import click
import pytest
from agentpolicy.cli.main import program
from tests.policy_repo import BAND_PATH, PolicyRepo, begin
from tests.repositories import make_repository


def commands() -> list[list[str]]:
    """List everything that can be typed, groups before what they hold."""
    found: list[list[str]] = [[]]
    for words in found:
        command: click.Command | None = program
        context = click.Context(program)
        for word in words:
            assert isinstance(command, click.Group)
            command = command.get_command(context, word)
        if isinstance(command, click.Group):
            found += [[*words, name] for name in command.list_commands(context)]
    return found


GROUPS = [
    [],
    ["hook"],
    ["gate"],
    ["waiver"],
    ["audit"],
    ["report"],
    ["roles"],
    ["key"],
    ["calibrate"],
    ["guard"],
]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_help_says_whole_sentences_within_80_columns(tmp_path: Path, words: list[str]) -> None:
    ran = PolicyRepo(make_repository(tmp_path / "repo")).must(*words, "--help")
    assert "..." not in ran.out.replace("]...", "")
    assert max(map(len, ran.out.splitlines())) <= 80
    for line in ran.out.splitlines():
        if line.startswith("  --") and not line.endswith("]"):
            assert len(line.split()) > 1


@pytest.mark.parametrize("words", GROUPS, ids=" ".join)
def test_a_bare_group_answers_with_its_help(tmp_path: Path, words: list[str]) -> None:
    repo = PolicyRepo(make_repository(tmp_path / "repo"))
    assert repo.must(*words) == repo.must(*words, "--help")


def on_terminal(repo: PolicyRepo, *words: str) -> str:
    """Type a command on a terminal that asks for no colour, and give what it shows."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "agentpolicy", *words],
        cwd=repo.path,
        env={**repo.repo.environ, "NO_COLOR": "1", "TERM": "xterm-256color"},
        stdin=theirs, stdout=theirs, stderr=theirs, check=False,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:  # the other end is closed
        pass
    os.close(ours)
    return shown.decode()


SHOWN = (
    ["--help"],
    ["diff"],
    ["check", "--staged"],
    ["audit", "query"],
    ["nonsense"],
    ["validate"],
)


def test_no_escape_codes_are_written_where_none_are_wanted(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.repo.git("add", "-A")
    for words in SHOWN:
        assert "\x1b" not in on_terminal(made, *words)
        assert "\x1b" not in made.run(*words).said


def test_on_a_terminal_an_answer_comes_before_what_is_said_about_it(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    shown = on_terminal(made, "check", "--staged")
    assert shown.index("admitted: no change") < shown.index("next: git add policies")
