"""One repository and the one way this project runs git in it."""

import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.values import dataclass
from agentpolicy.gitio.environment import git_environment

_QUESTIONS = (
    "--path-format=absolute",
    "--absolute-git-dir",
    "--git-common-dir",
    "--is-bare-repository",
    "--is-shallow-repository",
    "--show-object-format",
    # last: outside a work tree git answers the others and fails on this one
    "--show-toplevel",
)
_ANSWERS = 5

Argument: TypeAlias = str | bytes
"""One argument of git. Paths go as bytes, so that the locale cannot re-spell them."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository as one call of `git rev-parse` described it."""

    cwd: Path
    """Where git runs: the top of the work tree, or the directory given when there is none."""
    environ: Mapping[str, str]
    """The scrubbed environment of every call."""
    git_dir: Path
    """Of a linked worktree its own directory, elsewhere the same as `common_dir`."""
    common_dir: Path
    """Where objects, shared refs and hooks live."""
    top: Path | None
    """The top of the work tree; None in a bare repository and inside `.git`."""
    object_format: str
    """`sha1` or `sha256`."""
    bare: bool
    shallow: bool
    """Whether history was cut when this repository was opened; then ancestry may be unknown."""

    def run(self, *args: Argument, stdin: bytes = b"") -> bytes:
        """Run git and give what it wrote.

        Raises:
            UndecidedError: git failed; the problem carries the command and git's own words.
        """
        done = _git(args, self.cwd, self.environ, stdin)
        if done.returncode:
            raise _failure(args, done)
        return done.stdout

    def try_run(self, *args: Argument, stdin: bytes = b"") -> tuple[int, bytes]:
        """Run git where failing is an answer, and give its exit code and what it wrote."""
        done = _git(args, self.cwd, self.environ, stdin)
        return done.returncode, done.stdout

    def attempt(self, *args: Argument) -> tuple[int, str]:
        """Run git where it may be refused, and give its exit code and what was said about it."""
        done = _git(args, self.cwd, self.environ, b"")
        return done.returncode, done.stderr.decode("utf-8", "replace")

    def config(self, key: str) -> str | None:
        """Give the value of a configuration key, the last one when it is set more than once.

        Raises:
            UndecidedError: a configuration file cannot be read.
        """
        args = ("config", "-z", "--get", key)
        done = _git(args, self.cwd, self.environ, b"")
        if done.returncode == 1:
            return None
        if done.returncode:
            raise _failure(args, done)
        return text_of(done.stdout.removesuffix(b"\0"))

    def set_config(self, key: str, value: str) -> None:
        """Set a configuration key of this repository, replacing every value it had.

        Raises:
            UndecidedError: the configuration cannot be written.
        """
        self.run("config", "--local", "--replace-all", key, value)


def open_repository(cwd: Path, environ: Mapping[str, str]) -> Repository:
    """Find the repository that `cwd` and the environment of a hook point at.

    Raises:
        InputError: there is no repository here.
        UndecidedError: git is missing, too old, or does not trust the owner of the repository.
    """
    scrubbed = git_environment(environ)
    args = ("rev-parse", *_QUESTIONS)
    done = _git(args, cwd, scrubbed, b"")
    lines = text_of(done.stdout).split("\n")[:-1]
    if len(lines) < _ANSWERS:
        raise _not_opened(args, cwd, done)
    if len(lines) > _ANSWERS + 1:
        raise UndecidedError(
            Problem(
                "path-unreadable",
                f"The path of the repository at {cwd} holds a line break.",
                "move the repository to a path without one",
            )
        )
    git_dir, common_dir, bare, shallow, object_format, *rest = lines
    top = Path(rest[0]) if rest and done.returncode == 0 else None
    # Git runs at the top from here on, so relative paths given for another directory must go.
    if "GIT_DIR" in scrubbed:
        scrubbed["GIT_DIR"] = git_dir
    if top and "GIT_WORK_TREE" in scrubbed:
        scrubbed["GIT_WORK_TREE"] = str(top)
    return Repository(
        cwd=top or cwd,
        environ=scrubbed,
        git_dir=Path(git_dir),
        common_dir=Path(common_dir),
        top=top,
        object_format=object_format,
        bare=bare == "true",
        shallow=shallow == "true",
    )


def text_of(raw: bytes) -> str:
    """Decode what git wrote without losing a byte: what is not UTF-8 becomes lone surrogates."""
    return raw.decode("utf-8", "surrogateescape")


def bytes_of(text: str) -> bytes:
    """Encode a path or ref exactly as `text_of` found it."""
    return text.encode("utf-8", "surrogateescape")


def _git(
    args: tuple[Argument, ...], cwd: Path, environ: Mapping[str, str], stdin: bytes
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            ["git", *args], cwd=cwd, env=environ, input=stdin, capture_output=True, check=False
        )
    except OSError as error:
        raise cannot_start(cwd, error) from error


def cannot_start(cwd: Path, error: OSError) -> UndecidedError:
    """Say why git could not even be started."""
    if not cwd.is_dir():
        hint = f"ls -d {shlex.quote(str(cwd.parent))}"
        return UndecidedError(Problem("no-such-directory", f"There is no directory {cwd}.", hint))
    return UndecidedError(
        Problem("git-missing", f"git cannot be run: {error}.", "install git 2.31 or newer")
    )


def _failure(
    args: tuple[Argument, ...], done: subprocess.CompletedProcess[bytes]
) -> UndecidedError:
    words = _words(done)
    command = " ".join(
        ("git", *(a if isinstance(a, str) else a.decode(errors="replace") for a in args))
    )
    return UndecidedError(Problem("git-failed", f"`{command}` failed: {words}", command))


def _words(done: subprocess.CompletedProcess[bytes]) -> str:
    words = done.stderr.decode("utf-8", "replace").strip()
    return words or f"exit code {done.returncode} without a word"


def _not_opened(
    args: tuple[Argument, ...], cwd: Path, done: subprocess.CompletedProcess[bytes]
) -> InputError | UndecidedError:
    words = _words(done)
    if "dubious ownership" in words:
        offered = (line.strip() for line in words.splitlines())
        hint = next((line for line in offered if line.startswith("git config ")), "")
        message = f"git does not trust the repository at {cwd}: another user owns it."
        return UndecidedError(Problem("repository-not-trusted", message, hint))
    if "not a git repository" in words:
        message = f"{cwd} is not inside a git repository."
        return InputError(Problem("not-a-repository", message, "git init"))
    return _failure(args, done)
