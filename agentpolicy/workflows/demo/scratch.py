"""A scratch folder with keys, a repository and run files, where nothing of the machine shows."""

import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from agentpolicy.base.errors import Problem, UndecidedError

PATIENCE = 60
"""Seconds one command may take."""


@dataclass(frozen=True, slots=True)
class Ran:
    """How one command went."""

    code: int
    output: str
    """What it wrote on both streams."""


@dataclass(frozen=True, slots=True)
class Scratch:
    """The folder of one guided run: `keys`, `runs` and the repository `agents` side by side."""

    folder: Path
    environ: Mapping[str, str] = field(repr=False)

    @property
    def repository(self) -> Path:
        """The work tree, where every command is typed."""
        return self.folder / "agents"

    def run(self, command: str) -> Ran:
        """Run a command as it is typed, with this very program for `agentpolicy`.

        Raises:
            UndecidedError: it cannot be started, or takes far too long.
        """
        program, *rest = shlex.split(command)
        argv = [sys.executable, "-m", "agentpolicy"] if program == "agentpolicy" else [program]
        try:
            done = subprocess.run(
                [*argv, *rest],
                cwd=self.repository,
                env=self.environ,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                timeout=PATIENCE,
            )
        except OSError as error:
            words = f"{program} cannot be run: {error}"
            raise UndecidedError(Problem("cannot-start", words, f"install {program}")) from error
        except subprocess.TimeoutExpired as error:
            words = f"`{command}` did not end within {PATIENCE} s"
            raise UndecidedError(Problem("timed-out", words, "run the demo again")) from error
        return Ran(done.returncode, done.stdout.decode("utf-8", "replace"))

    def write(self, path: str, text: str) -> None:
        """Write a file of the work tree."""
        file = self.repository / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")

    def replace(self, path: str, old: str, new: str) -> bool:
        """Replace one text in a file of the work tree; False where it does not stand there."""
        file = self.repository / path
        text = file.read_text(encoding="utf-8")
        if old not in text:
            return False
        file.write_text(text.replace(old, new, 1), encoding="utf-8", newline="\n")
        return True


def set_up(
    folder: Path, environ: Mapping[str, str], people: tuple[str, ...], runs: Mapping[str, str]
) -> Scratch:
    """Fill an empty folder: a key pair for each person, the run files, room for a repository."""
    for name in ("keys", "runs", "agents"):
        (folder / name).mkdir()
    for person in people:
        _make_key(folder / "keys" / person)
    for name, text in runs.items():
        (folder / "runs" / name).write_text(text, encoding="utf-8", newline="\n")
    return Scratch(folder, scratch_environment(environ))


def scratch_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Take out what would let git, or this program, behave as it is set up on this machine."""
    kept = {
        name: value
        for name, value in environ.items()
        if not name.startswith(("GIT_", "AGENTPOLICY_"))
    }
    people = {
        f"GIT_{part}_{what}": value
        for part in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "demo"), ("EMAIL", "demo@example.invalid"))
    }
    return {
        **kept,
        **people,
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
        "PYTHONUTF8": "1",
    }


def _make_key(file: Path) -> None:
    """Make an Ed25519 key pair in the format OpenSSH writes, without a passphrase."""
    key = Ed25519PrivateKey.generate()
    file.touch(mode=0o600)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    public = key.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH)
    file.with_suffix(".pub").write_bytes(public + f" {file.name}\n".encode())
