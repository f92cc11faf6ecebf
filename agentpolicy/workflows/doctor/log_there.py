"""Is the verdict log here, and as long as the remote's?"""

from collections.abc import Iterator

from agentpolicy.documents.document import DocumentKind, Snapshot
from agentpolicy.gitio.refs import LOG_REF, resolve
from agentpolicy.gitio.repository import Repository
from agentpolicy.report.checklist import Finding, Standing
from agentpolicy.workflows.fetching import remote_of


def log_there(repository: Repository, state: Snapshot | None) -> Iterator[Finding]:
    """Look at the log's branch beside what was last seen of the remote's."""
    remote = remote_of(repository)
    here = resolve(repository, LOG_REF)
    branch = LOG_REF.removeprefix("refs/heads/")
    seen = resolve(repository, f"refs/remotes/{remote}/{branch}") if remote else None
    fetch = f"git fetch {remote} {LOG_REF}:{LOG_REF}"
    if here is None and seen is None:
        yield _none(state, fetch if remote else "agentpolicy audit verify")
    elif seen is not None and not _holds(repository, here, seen):
        what = f"{remote} has records of the log that are not here"
        why = "an audit here is incomplete, and the clock's floor is older than it should be"
        yield Finding("log", Standing.UNKNOWN, what, why, fetch)
    else:
        yield Finding("log", Standing.WELL, f"{branch} is here")


def _none(state: Snapshot | None, hint: str) -> Finding:
    documents = state.documents.values() if state else ()
    if any(document.kind is DocumentKind.WAIVER for document in documents):
        why = "without the log no waiver counts"
        return Finding("log", Standing.UNKNOWN, "there are waivers, and no log here", why, hint)
    return Finding("log", Standing.WELL, "no verdict is recorded yet")


def _holds(repository: Repository, here: str | None, seen: str) -> bool:
    if here is None:
        return False
    return repository.try_run("merge-base", "--is-ancestor", seen, here)[0] == 0
