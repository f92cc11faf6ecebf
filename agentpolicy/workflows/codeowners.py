"""`codeowners`: writes and checks the file that routes reviews, from the trust root beside it."""

from agentpolicy.admission.commands import INIT
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.documents.document import Document
from agentpolicy.documents.layout import ROLES_PATH
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.report.codeowners import with_block
from agentpolicy.report.codeowners_lint import PLACES, lint, place_of
from agentpolicy.workflows.snapshots import snapshot_of_worktree


def codeowners_text(repository: Repository) -> str:
    """Give the CODEOWNERS file as it should stand, other people's lines kept.

    Raises:
        InputError: there is no trust root in the work tree, or it cannot be read.
    """
    files = files_there(repository)
    return with_block(files.get(place_of(files), ""), _read(repository)[0])


def write_codeowners(repository: Repository) -> str | None:
    """Bring the CODEOWNERS file that counts up to date; give its path, None when it was.

    Raises:
        InputError: there is no trust root in the work tree, or it cannot be read.
    """
    files = files_there(repository)
    place, text = place_of(files), codeowners_text(repository)
    if files.get(place) == text:
        return None
    assert repository.top is not None
    (repository.top / place).write_text(text, encoding="utf-8")
    return place


def check_codeowners(repository: Repository) -> tuple[Problem, ...]:
    """Find what keeps the file from asking the right people.

    Raises:
        InputError: there is no trust root in the work tree, or it cannot be read.
    """
    roles, documents = _read(repository)
    return tuple(lint(files_there(repository), roles, documents))


def files_there(repository: Repository) -> dict[str, str]:
    """Read the CODEOWNERS files of the work tree, by place."""
    if repository.top is None:
        return {}
    there = {place: repository.top / place for place in PLACES}
    return {
        place: path.read_text(encoding="utf-8", errors="surrogateescape")
        for place, path in there.items()
        if path.is_file()
    }


def _read(repository: Repository) -> tuple[Document, tuple[str, ...]]:
    if repository.top is None:
        words = "a bare repository has no files to write or check"
        raise InputError(Problem("no-work-tree", words, "git clone URL"))
    snapshot = snapshot_of_worktree(repository, (), ReadCache())
    if ROLES_PATH in snapshot.unreadable:
        raise InputError(*snapshot.unreadable[ROLES_PATH])
    if snapshot.roles is None:
        raise InputError(Problem("roles-missing", f"there is no {ROLES_PATH}", INIT))
    return snapshot.roles, tuple(snapshot.documents)
