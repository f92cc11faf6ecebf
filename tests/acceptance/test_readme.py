"""The README's session is typed as it stands, and its picture is what the demo shows."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.policy_repo import KEYS
from tests.repositories import clean_environment

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHANGING = re.compile(r"\b[0-9a-f]{7,64}\b")
"""What is different each time: commit ids and digests."""


@dataclass(frozen=True)
class Typed:
    """A command as the README types it, what it shows of its output, and its exit code."""

    command: str
    shown: Sequence[str]
    code: int


def fenced(marker: str) -> Iterator[str]:
    """Give the fenced blocks that follow a marker, in order."""
    pattern = rf"<!-- {marker} -->\n```\w+\n(.*?)```\n"
    return (found[1] for found in re.finditer(pattern, README, re.DOTALL))


def typed(session: str) -> Iterator[Typed]:
    """Take a session apart into its commands."""
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, *rest = part.splitlines()
        while rest and rest[0].startswith("> "):
            command += "\n" + rest.pop(0).removeprefix("> ")
        ending = re.fullmatch(r"\[exit (\d+)\]", rest[-1]) if rest else None
        yield Typed(command, rest[:-1] if ending else rest, int(ending[1]) if ending else 0)


def test_the_first_policy_session_goes_as_the_readme_says(tmp_path: Path) -> None:
    shutil.copytree(KEYS, tmp_path / "keys")
    programs, place = tmp_path / "bin", tmp_path / "agents"
    programs.mkdir()
    place.mkdir()
    command = programs / "agentpolicy"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentpolicy "$@"\n')
    command.chmod(0o755)
    environ = clean_environment(tmp_path)
    environ["PATH"] = f"{programs}:{environ['PATH']}"
    session = [step for block in fenced("session") for step in typed(block)]
    assert len(session) > 10
    for step in session:
        done = subprocess.run(
            ["sh", "-c", step.command],
            cwd=place, env=environ, capture_output=True, check=False,
        )  # fmt: skip
        said = (done.stdout + done.stderr).decode()
        assert done.returncode == step.code, (step.command, said)
        missing = [line for line in step.shown if line not in said.splitlines()]
        assert not missing, (step.command, said)


def test_the_first_policy_has_ten_lines() -> None:
    (written,) = re.findall(r"<<'END'\n(.*?)> END\n", README, re.DOTALL)
    assert len(written.splitlines()) == 10


def test_the_picture_is_a_piece_of_the_demo(tmp_path: Path) -> None:
    (picture,) = fenced("picture")
    done = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "demo"],
        env={**clean_environment(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=True,
    )
    shown = CHANGING.sub("0", done.stdout.decode())
    assert CHANGING.sub("0", picture) in shown


def test_every_file_it_points_to_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
