"""Puts the stubs where git finds hooks, keeps what was there before, and takes them out again.

A hook that was there is moved to `<name>.before-agentpolicy`; the stub runs it first, and its
failure blocks. Uninstalling moves it back, so that its bytes and mode are as they were.
"""

import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gitio.repository import Repository, bytes_of, text_of

STUBS = Path(__file__).parent / "stubs"
CHAINED = ".before-agentpolicy"
_MARK = "# agentpolicy hook stub:"
_PYTHON = "@PYTHON@"


class HookMode(StrEnum):
    """Which side of a push a repository is on."""

    LOCAL = "local"
    SERVER = "server"


NAMES: Mapping[HookMode, tuple[str, ...]] = {
    HookMode.LOCAL: ("pre-commit", "pre-merge-commit", "pre-push"),
    HookMode.SERVER: ("pre-receive",),
}
"""The hooks each side needs."""


class HookState(StrEnum):
    """What stands where git looks for a hook."""

    ABSENT = "absent"
    FOREIGN = "foreign"
    """A hook that is not the stub: agentpolicy is not asked."""
    BROKEN = "broken"
    """The stub, but changed, not executable, or its interpreter is gone."""
    INSTALLED = "installed"


@dataclass(frozen=True, slots=True)
class Hook:
    """One hook as it stands."""

    name: str
    path: Path
    state: HookState
    chained: Path | None
    """The hook that was there before and runs first."""
    python: str
    """The interpreter the stub calls; empty when there is no stub."""


@dataclass(frozen=True, slots=True)
class HookChange:
    """One hook after installing or uninstalling."""

    hook: Hook
    changed: bool
    """False when everything already was as wanted."""


def hooks_directory(repository: Repository) -> Path:
    """Say where git looks for the hooks of this repository.

    Raises:
        InputError: they are shared with other repositories by a setting outside this one.
        UndecidedError: git cannot read its configuration.
    """
    key = "core.hooksPath"
    asked = ("config", "-z", "--show-scope", "--type=path", "--get", key)
    code, out = repository.try_run(*asked)
    if code == 1:
        return repository.common_dir / "hooks"
    if code:
        out = repository.run(*asked)
    scope, value, _ = text_of(out).split("\0")
    if scope not in {"local", "worktree"}:
        message = f"Hooks come from {value!r} for every repository of this user ({scope} {key})."
        hint = f"git config --local {key} {shlex.quote(str(repository.common_dir / 'hooks'))}"
        raise InputError(Problem("hooks-shared", message, hint))
    return (repository.top or repository.git_dir) / os.fsdecode(bytes_of(value))


def install_hooks(
    repository: Repository,
    mode: HookMode,
    *,
    python: str,
    names: Sequence[str] = (),
    hooks_dir: Path | None = None,
) -> tuple[HookChange, ...]:
    """Install the stubs of a mode, or only those named, calling the interpreter `python`.

    Installing again changes nothing, except that stubs of another interpreter are rewritten.

    Raises:
        InputError: `python` cannot run agentpolicy, a name is not a hook of this mode, hooks are
            shared with other repositories, or a hook that was there before would be lost.
    """
    _require_working(repository, python)
    wanted = names or NAMES[mode]
    strange = sorted(set(wanted) - set(NAMES[mode]))
    if strange:
        message = f"{strange[0]!r} is not a hook of mode {mode}."
        raise InputError(Problem("hook-name", message, f"choose from {', '.join(NAMES[mode])}"))
    folder = hooks_dir or hooks_directory(repository)
    for name in wanted:
        _require_free(folder / name)
    with _writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        return tuple(_install(folder / name, _stub(name, python)) for name in wanted)


def uninstall_hooks(
    repository: Repository, mode: HookMode, *, hooks_dir: Path | None = None
) -> tuple[HookChange, ...]:
    """Take the stubs of a mode out and put back what was there before; leave foreign hooks alone.

    Raises:
        InputError: hooks are shared with other repositories, or cannot be written.
    """
    folder = hooks_dir or hooks_directory(repository)
    with _writing(folder):
        return tuple(_uninstall(folder / name) for name in NAMES[mode])


def hook_status(
    repository: Repository, mode: HookMode, *, hooks_dir: Path | None = None
) -> tuple[Hook, ...]:
    """Say for each hook of a mode whether agentpolicy is asked.

    Raises:
        InputError: hooks are shared with other repositories, or cannot be read.
    """
    folder = hooks_dir or hooks_directory(repository)
    with _writing(folder):
        return tuple(_hook(folder / name) for name in NAMES[mode])


def _install(place: Path, stub: str) -> HookChange:
    before = _hook(place)
    if before.state is HookState.INSTALLED and place.read_text() == stub:
        return HookChange(before, changed=False)
    new = place.with_name(f".{place.name}.agentpolicy-new")
    new.write_text(stub)
    new.chmod(0o755)
    if before.state is HookState.FOREIGN:
        place.rename(_chained(place))
    new.replace(place)
    return HookChange(_hook(place), changed=True)


def _uninstall(place: Path) -> HookChange:
    before = _hook(place)
    if before.state is HookState.FOREIGN:
        return HookChange(before, changed=False)
    if before.chained:
        before.chained.replace(place)
    else:
        place.unlink(missing_ok=True)
    changed = before.chained is not None or before.state is not HookState.ABSENT
    return HookChange(_hook(place), changed=changed)


def _hook(place: Path) -> Hook:
    chained = _chained(place) if os.path.lexists(_chained(place)) else None
    if not os.path.lexists(place):
        return Hook(place.name, place, HookState.ABSENT, chained, "")
    text = _stub_text(place)
    if text is None:
        return Hook(place.name, place, HookState.FOREIGN, chained, "")
    python = _python_of(place.name, text)
    works = python is not None and os.access(place, os.X_OK) and os.access(python, os.X_OK)
    state = HookState.INSTALLED if works else HookState.BROKEN
    return Hook(place.name, place, state, chained, python or "")


def _stub_text(place: Path) -> str | None:
    """Give the text of a stub, whole or tampered with; None when the file is not ours."""
    if place.is_symlink() or not place.is_file():
        return None
    text = place.read_bytes().decode("utf-8", "replace")
    return text if text.partition("\n")[2].startswith(_MARK) else None


def _python_of(name: str, text: str) -> str | None:
    """Give the interpreter a stub calls; None unless the rest is exactly what we would write."""
    before, _, after = _template(name).partition(_PYTHON)
    if not (text.startswith(before) and text.endswith(after)):
        return None
    quoted = text[len(before) : len(text) - len(after)]
    try:
        words = shlex.split(quoted)
    except ValueError:
        return None
    return words[0] if len(words) == 1 and shlex.quote(words[0]) == quoted else None


def _stub(name: str, python: str) -> str:
    return _template(name).replace(_PYTHON, shlex.quote(python))


def _template(name: str) -> str:
    return (STUBS / name).read_text()


def _chained(place: Path) -> Path:
    return place.with_name(place.name + CHAINED)


def _require_free(place: Path) -> None:
    """Refuse to chain a hook when another is chained already: one of them would be lost."""
    hook = _hook(place)
    if hook.state is HookState.FOREIGN and hook.chained:
        message = f"{place} is another tool's, and {hook.chained.name} is kept from before."
        hint = f"join both into one file, remove {hook.chained}, then install again"
        raise InputError(Problem("hook-conflict", message, hint))


def _require_working(repository: Repository, python: str) -> None:
    """Run the interpreter once as the stubs will, so that a commit is not the first to fail."""
    test = [python, "-I", "-c", "import agentpolicy"]
    try:
        done = subprocess.run(test, env=repository.environ, capture_output=True, check=False)
    except OSError as error:
        words = str(error.strerror)
    else:
        if Path(python).is_absolute() and done.returncode == 0:
            return
        words = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
    message = f"{python!r} cannot be the interpreter of hooks: {words or 'not an absolute path'}."
    hint = "install agentpolicy into a virtual environment, not with --user"
    raise InputError(Problem("interpreter-unusable", message, hint))


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"The hooks in {folder} cannot be read or written: {error}."
        raise InputError(
            Problem("hooks-unwritable", message, f"ls -ld {shlex.quote(str(folder))}")
        ) from error
