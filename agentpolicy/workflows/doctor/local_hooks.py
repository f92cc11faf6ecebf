"""Are this clone's hooks installed, this version's, and does their interpreter still work?"""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from agentpolicy import __version__
from agentpolicy.base.errors import AgentPolicyError
from agentpolicy.gitio.hooks import Hook, HookMode, HookState, hook_status
from agentpolicy.gitio.repository import Repository
from agentpolicy.report.checklist import Finding, Standing

INSTALL = "agentpolicy hook install"
FRAMEWORKS = (".pre-commit-config.yaml", "lefthook.yml", ".husky/pre-commit", ".husky/pre-push")
"""Files by which other tools may ask agentpolicy from their own hook."""

_WHY = "git does not ask agentpolicy there, so a mistake is found later: on the server, or in CI"


def local_hooks(repository: Repository) -> Iterator[Finding]:
    """Look at each hook of this clone."""
    try:
        hooks = hook_status(repository, HookMode.LOCAL)
    except AgentPolicyError as error:
        (problem, *_) = error.problems
        yield Finding("hooks", Standing.UNKNOWN, problem.message, _WHY, problem.hint)
        return
    well = [hook for hook in hooks if hook.state is HookState.INSTALLED]
    for hook in hooks:
        if hook not in well:
            yield _not_well(repository, hook)
    if well:
        yield _version(repository, well)


def _not_well(repository: Repository, hook: Hook) -> Finding:
    if hook.state is HookState.FOREIGN and (asked := _asked_elsewhere(repository)):
        what = f"{hook.name} is another tool's, and {asked} names agentpolicy"
        return Finding("hooks", Standing.UNKNOWN, what, "whether it runs cannot be seen", INSTALL)
    words = {
        HookState.ABSENT: "is not installed",
        HookState.FOREIGN: "is another tool's, which does not ask agentpolicy",
    }.get(hook.state, "is installed, but was changed or cannot run any more")
    return Finding("hooks", Standing.UNPROTECTED, f"{hook.name} {words}", _WHY, INSTALL)


def _version(repository: Repository, hooks: list[Hook]) -> Finding:
    """Ask the interpreter of the hooks which version it would run."""
    names = ", ".join(hook.name for hook in hooks)
    versions = {_version_of(python, repository) for python in {hook.python for hook in hooks}}
    if versions == {__version__}:
        return Finding("hooks", Standing.WELL, f"{names}: installed, version {__version__}")
    found = ", ".join(sorted(versions)) or "nothing"
    why = f"this is version {__version__}, and the two may class a change differently"
    return Finding("hooks", Standing.UNPROTECTED, f"{names}: run version {found}", why, INSTALL)


def _version_of(python: str, repository: Repository) -> str:
    ask = [python, "-I", "-c", "import agentpolicy; print(agentpolicy.__version__)"]
    try:
        done = subprocess.run(ask, env=repository.environ, capture_output=True, check=False)
    except OSError:
        return "none"
    return done.stdout.decode("utf-8", "replace").strip() or "none"


def _asked_elsewhere(repository: Repository) -> str | None:
    top = repository.top or Path()
    for name in FRAMEWORKS:
        place = top / name
        if place.is_file() and b"agentpolicy" in place.read_bytes():
            return name
    return None
