"""Does CI ask about every proposed change, by a file that the change itself cannot bend?"""

from collections.abc import Collection, Iterator

from agentpolicy.gitio.repository import Repository
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.workflows.doctor.far_side import FarSide
from agentpolicy.workflows.doctor.pin_source import grep


def ci_files(repository: Repository) -> tuple[str, ...]:
    """List the CI files that ask `agentpolicy check`."""
    return grep(repository, "-F", "agentpolicy check")


def ci_check(
    repository: Repository, side: FarSide | None, guarded: Collection[str] | None
) -> Iterator[Finding]:
    """Look at the CI files; `guarded` is None where no trust root is in force."""
    files = ci_files(repository)
    if not files:
        yield _absent(side)
        return
    for path in files:
        if guarded is not None and path not in guarded:
            what = f"{path} is not listed under `guarded:` in policies/roles.yaml"
            why = "a change can switch off the check that it is judged by"
            hint = f"guarded: [{path}], in policies/roles.yaml; then agentpolicy sign"
            yield Finding("ci", Standing.UNPROTECTED, what, why, hint)
    if side is not None and side.repository is None:
        what = f"{', '.join(files)} asks; whether {side.url} requires it cannot be seen"
        why = "a check that is not required can be merged past"
        hint = "require the check `agentpolicy` in the settings of the protected branch"
        yield Finding("ci", Standing.UNKNOWN, what, why, hint)
    else:
        yield Finding("ci", Standing.WELL, f"{', '.join(files)} asks about every proposed change")


def _absent(side: FarSide | None) -> Finding:
    what = "no CI file asks `agentpolicy check`"
    if side is None or side.repository is not None:
        reason = (
            "nothing is pushed"
            if side is None
            else "pushes go to a repository on this machine, whose hook is to decide"
        )
        return Finding("ci", Standing.NOTE, f"{what}; {reason}")
    why = "a reviewer does not see which signatures are missing, and a merge is judged by nobody"
    hint = "agentpolicy init --ci github, in an empty folder, shows the file to add"
    return Finding("ci", Standing.UNPROTECTED, what, why, hint)
