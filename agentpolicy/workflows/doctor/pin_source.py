"""Is the pin set, and not by a file that a change under review can edit?"""

from collections.abc import Iterator
from pathlib import Path

from agentpolicy.base.errors import UndecidedError
from agentpolicy.gitio.repository import Repository, text_of
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.trust.pin import Pin
from agentpolicy.workflows.policy_chain import PIN_SETTING, pin_of

CI_PLACES = (
    ".github", ".gitlab-ci.yml", ".gitlab", ".circleci", ".ci", "Jenkinsfile",
    "azure-pipelines.yml", "bitbucket-pipelines.yml",
)  # fmt: skip
"""Where hosts look for what CI runs."""

_PIN = "sha256:[0-9a-f]{64};version=[0-9]+;ref=refs/heads/"
_UNDER_REVIEW = "whoever proposes a change can bring along the root that it is judged by"


def pin_source(repository: Repository) -> Iterator[Finding]:
    """Look at the pin, at the file it is set in, and for copies in what CI runs."""
    try:
        pin = pin_of(repository)
    except UndecidedError as error:
        (problem, *_) = error.problems
        why = "without a pin nothing is in force, and every hook refuses every change of a policy"
        yield Finding("pin", Standing.UNPROTECTED, problem.message, why, problem.hint)
    else:
        yield _where(repository, pin)
    for path in grep(repository, "-E", _PIN):
        what = f"{path} writes a pin down"
        hint = f"take it out of {path}, and set a protected CI variable instead"
        yield Finding("pin", Standing.UNPROTECTED, what, _UNDER_REVIEW, hint)


def grep(repository: Repository, *what: str) -> tuple[str, ...]:
    """List the tracked files that CI runs and that hold a text."""
    if repository.top is None:
        return ()
    _, out = repository.try_run("grep", "--cached", "-lIz", *what, "--", *CI_PLACES)
    return tuple(text_of(path) for path in out.split(b"\0") if path)


def _where(repository: Repository, pin: Pin) -> Finding:
    asked = ("config", "-z", "--show-scope", "--show-origin", "--get", PIN_SETTING)
    scope, origin, *_ = text_of(repository.run(*asked)).split("\0")
    file = origin.removeprefix("file:")
    if _tracked(repository, file):
        hint = f"git config --unset include.path; git config {PIN_SETTING} '{pin}'"
        what = f"it is set in {file}, a tracked file"
        return Finding("pin", Standing.UNPROTECTED, what, _UNDER_REVIEW, hint)
    what = f"version {pin.roles_version} for {pin.policy_ref}, from git's {scope} configuration"
    return Finding("pin", Standing.WELL, what)


def _tracked(repository: Repository, file: str) -> bool:
    if repository.top is None:
        return False
    place = Path(repository.cwd, file).resolve()
    if not place.is_relative_to(repository.top.resolve()):
        return False
    inside = place.relative_to(repository.top.resolve()).as_posix()
    return repository.try_run("ls-files", "--error-unmatch", "--", f":(literal){inside}")[0] == 0
