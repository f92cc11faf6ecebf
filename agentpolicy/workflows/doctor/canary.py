"""Tries a loosening that nobody signed, in a throw-away repository, and says who refuses it.

Nothing of the user's is written: the copy borrows objects, has refs, index and configuration of
its own, and copies of the very hooks that are installed, without those that run before them.
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.gitio.hooks import Hook, HookMode, HookState, hook_status
from agentpolicy.gitio.refs import resolve
from agentpolicy.gitio.repository import Repository, open_repository, text_of
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.workflows.doctor.far_side import outside
from agentpolicy.workflows.policy_chain import PIN_SETTING

_REASON = "approval-missing"
_LIKELY = ("policies/bands", "policies/budgets", "policies/tools.yaml")
_QUIET = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}


@dataclass(frozen=True, slots=True)
class Trial:
    """What is tried: one document of a policy ref's tip goes, and no rule judges it any more."""

    origin: Repository
    policy_ref: str
    tip: str
    path: str
    pin: str


def trial_of(origin: Repository, policy_ref: str) -> Trial | None:
    """Choose what to try on a repository; None where no policy has landed yet."""
    tip, pin = resolve(origin, policy_ref), origin.config(PIN_SETTING)
    if tip is None or pin is None:
        return None
    for where in _LIKELY:
        out = origin.run("ls-tree", "-rz", "--name-only", tip, "--", where)
        if found := [text_of(path) for path in out.split(b"\0") if path]:
            return Trial(origin, policy_ref, tip, found[0], pin)
    return None


def try_locally(trial: Trial) -> Iterator[Finding]:
    """Commit and push the canary past this clone's own hooks."""
    hooks = _installed(trial.origin, HookMode.LOCAL)
    with tempfile.TemporaryDirectory(prefix="agentpolicy-canary-") as folder:
        copy = _copy(trial, Path(folder, "clone"), hooks)
        if "pre-commit" in hooks:
            yield _answer("pre-commit", trial, _commit(copy, trial))
        if "pre-push" in hooks:
            _commit(copy, trial, "--no-verify")
            far = _copy(trial, Path(folder, "far"), {})
            yield _answer("pre-push", trial, _push(copy, far, trial))


def try_far_side(trial: Trial) -> Iterator[Finding]:
    """Push the canary into a copy of the server, past nothing but the server's hook."""
    hooks = _installed(trial.origin, HookMode.SERVER)
    if not hooks:
        return
    with tempfile.TemporaryDirectory(prefix="agentpolicy-canary-") as folder:
        copy = _copy(trial, Path(folder, "clone"), {})
        _commit(copy, trial)
        far = _copy(trial, Path(folder, "far"), hooks)
        yield _answer("pre-receive", trial, _push(copy, far, trial))


def _installed(origin: Repository, mode: HookMode) -> dict[str, Hook]:
    hooks = hook_status(origin, mode)
    return {hook.name: hook for hook in hooks if hook.state is HookState.INSTALLED}


def _copy(trial: Trial, folder: Path, hooks: dict[str, Hook]) -> Repository:
    """Make a repository that stands where the original's policy ref stands."""
    origin, environ = trial.origin, {**outside(trial.origin.environ), **_QUIET}
    folder.mkdir()
    placed = folder.parent / f"{folder.name}-hooks"
    placed.mkdir()
    for name, hook in hooks.items():
        shutil.copy(hook.path, placed / name)
    begun = Repository(
        folder, environ, folder, folder, folder, origin.object_format, bare=False, shallow=False
    )
    begun.run("init", "-q", "--template=", f"--object-format={origin.object_format}")
    made = open_repository(folder, environ)
    info = made.git_dir / "objects" / "info"
    info.mkdir(parents=True, exist_ok=True)
    (info / "alternates").write_text(f"{origin.common_dir / 'objects'}\n", encoding="utf-8")
    if (origin.common_dir / "shallow").exists():
        shutil.copy(origin.common_dir / "shallow", made.git_dir / "shallow")
    settings = {
        "user.name": "canary", "user.email": "canary@localhost", "core.hooksPath": str(placed),
        "receive.denyCurrentBranch": "ignore", PIN_SETTING: trial.pin,
    }  # fmt: skip
    for key, value in settings.items():
        made.set_config(key, value)
    made.run("symbolic-ref", "HEAD", trial.policy_ref)
    made.run("update-ref", trial.policy_ref, trial.tip)
    made.run("read-tree", trial.tip)
    made.run("update-index", "--force-remove", "--", trial.path)
    return made


def _commit(copy: Repository, trial: Trial, *options: str) -> tuple[bool, str]:
    """Say whether the canary was committed, and what was said about it."""
    _, said = copy.attempt("commit", "-q", *options, "-m", "canary")
    return resolve(copy, trial.policy_ref) != trial.tip, said


def _push(copy: Repository, far: Repository, trial: Trial) -> tuple[bool, str]:
    _, said = copy.attempt("push", "-q", str(far.cwd), f"HEAD:{trial.policy_ref}")
    return resolve(far, trial.policy_ref) != trial.tip, said


def _answer(hook: str, trial: Trial, tried_out: tuple[bool, str]) -> Finding:
    landed, said = tried_out
    tried = f"{trial.path} taken out, signed by nobody"
    if landed:
        why = "it lets through what it is there to refuse"
        hint = f"agentpolicy hook install, and see what {hook} runs"
        return Finding(
            "canary", Standing.UNPROTECTED, f"{hook} lets it through: {tried}", why, hint
        )
    if _REASON in said:
        return Finding("canary", Standing.WELL, f"{hook} refuses it: {tried}")
    lines: Sequence[str] = [line for line in said.splitlines() if line.strip()] or ("nothing",)
    why = f"it says: {lines[min(1, len(lines) - 1)].strip()}"
    what = f"{hook} refuses it, but not for the missing signature: {tried}"
    return Finding("canary", Standing.UNKNOWN, what, why, "agentpolicy check --staged")
