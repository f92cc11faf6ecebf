"""The page about signing: every session on it is typed as it stands, with a real agent."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.policy_repo import BAND_PATH, KEYS, begin
from tests.ssh_keys import PASSPHRASE

PAGE = (Path(__file__).parents[2] / "docs" / "signing.md").read_text(encoding="utf-8")
SESSIONS = re.findall(r"<!-- session -->\n```console\n(.*?)```\n", PAGE, re.DOTALL)
STOP_THE_AGENT = 'trap \'test -z "$SSH_AGENT_PID" || kill "$SSH_AGENT_PID"\' EXIT'


@pytest.mark.parametrize("number", range(len(SESSIONS)))
def test_a_session_of_the_page_goes_as_it_says(number: int, tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.95")
    people = tmp_path / ".ssh"
    people.mkdir(mode=0o700)
    for name in ("alice", "alice.pub"):
        shutil.copy(KEYS / name, people / name)
        (people / name).chmod(0o600)
    lines = SESSIONS[number].splitlines()
    typed = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    shown = [line for line in lines if not line.startswith("$ ")]
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join((STOP_THE_AGENT, *typed))],
        cwd=made.path,
        env={**made.repo.environ, **at_the_keyboard(tmp_path)},
        capture_output=True,
        check=False,
    )
    said = (done.stdout + done.stderr).decode()
    assert done.returncode == 0, said
    for line in shown:
        pattern = re.escape(line).replace("…", ".*")
        assert re.search(f"^{pattern}$", said, re.MULTILINE), (line, said)


def at_the_keyboard(home: Path) -> dict[str, str]:
    """Stand in for the person: the command on the path, and an answer to ssh-add's question."""
    programs = home / "bin"
    programs.mkdir()
    command, answer = programs / "agentpolicy", programs / "answer"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m agentpolicy "$@"\n')
    answer.write_text(f'#!/bin/sh\necho "{PASSPHRASE}"\n')
    for program in (command, answer):
        program.chmod(0o700)
    path = f"{programs}:/usr/local/bin:/usr/bin:/bin"
    return {"PATH": path, "SSH_ASKPASS": str(answer), "SSH_ASKPASS_REQUIRE": "force"}


def test_the_page_has_sessions() -> None:
    assert len(SESSIONS) == 5
