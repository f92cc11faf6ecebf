"""Does the place that changes are pushed to judge them, as far as it can be seen from here?"""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.gitio.environment import KEPT
from agentpolicy.gitio.hooks import HookMode, HookState, hook_status
from agentpolicy.gitio.repository import Repository, open_repository, text_of
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.fetching import remote_of
from agentpolicy.workflows.policy_chain import PIN_SETTING

_CHOICE = frozenset(name for name in KEPT if "CONFIG" not in name)
_SKIPPED = "whoever skips the local hooks can push a loosening"


@dataclass(frozen=True, slots=True)
class FarSide:
    """Where changes are pushed to, and the repository there if it lies on this machine."""

    url: str
    repository: Repository | None


def far_side(repository: Repository, pin: Pin | None) -> FarSide | None:
    """Find where changes are pushed to: the pin's remote, else the one that is configured."""
    url = pin.remote if pin else None
    if url is None:
        remote = remote_of(repository)
        if remote is None:
            return None
        url = text_of(repository.run("remote", "get-url", "--push", remote)).strip()
    return FarSide(url, _opened(repository, url.removeprefix("file://")))


def outside(environ: Mapping[str, str]) -> dict[str, str]:
    """Give an environment for another repository: nothing in it chooses this one."""
    return {name: value for name, value in environ.items() if name not in _CHOICE}


def server(side: FarSide | None, *, checked_by_ci: bool) -> Iterator[Finding]:
    """Look at the server's hook and at what it lets a push do to history."""
    if side is None:
        yield Finding("server", Standing.WELL, "no remote is configured, so nothing is pushed")
        return
    there = side.repository
    if there is None:
        seen = "; a CI file asks" if checked_by_ci else ""
        yield Finding(
            "server",
            Standing.UNKNOWN,
            f"{side.url} is on another machine, and its hooks cannot be seen{seen}",
            f"unless it judges pushes or requires the CI check, {_SKIPPED}",
            "agentpolicy hook install --mode server --git-dir D --root PIN, on the server",
        )
        return
    yield from _hook(side.url, there)


def _hook(url: str, there: Repository) -> Iterator[Finding]:
    git_dir = shlex.quote(str(there.git_dir))
    install = f"agentpolicy hook install --mode server --git-dir {git_dir} --root PIN"
    try:
        (hook,) = hook_status(there, HookMode.SERVER)
    except AgentPolicyError as error:
        (problem, *_) = error.problems
        yield Finding("server", Standing.UNKNOWN, problem.message, _SKIPPED, problem.hint)
        return
    if hook.state is not HookState.INSTALLED:
        what = f"pre-receive of {url} is {hook.state}"
        yield Finding("server", Standing.UNPROTECTED, what, _SKIPPED, install)
        yield from _history(there, git_dir)
    elif there.config(PIN_SETTING) is None:
        why = "it refuses every push, until it knows whom to trust"
        yield Finding("server", Standing.UNKNOWN, f"{url} has no pin", why, install)
    else:
        what = f"pre-receive of {url}: installed; protected refs are judged and never rewritten"
        yield Finding("server", Standing.WELL, what)


def _history(there: Repository, git_dir: str) -> Iterator[Finding]:
    """Without the hook, only git's own settings keep a ref from being rewritten or deleted."""
    for key in ("receive.denyNonFastForwards", "receive.denyDeletes"):
        _, value = there.try_run("config", "--type=bool", "--get", key)
        if value.strip() != b"true":
            why = "an older, looser state can be pushed over the present one"
            hint = f"git --git-dir={git_dir} config {key} true"
            yield Finding("server", Standing.UNPROTECTED, f"{key} is not set", why, hint)


def _opened(repository: Repository, url: str) -> Repository | None:
    place = Path(repository.cwd, url)
    if not place.is_dir():
        return None
    try:
        return open_repository(place, outside(repository.environ))
    except AgentPolicyError:
        return None
