"""Where approvals are kept: staged in the work tree, or committed on a branch."""

from collections.abc import Collection, Mapping, Sequence

from agentpolicy.base.errors import Problem, UndecidedError
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import APPROVALS
from agentpolicy.gitio.index import add, index_files
from agentpolicy.gitio.refs import update_ref
from agentpolicy.gitio.repository import Repository
from agentpolicy.gitio.write import tree_with, write_commit


def changes(before: Snapshot, after: Snapshot) -> Mapping[str, bytes | None]:
    """Give the approvals that differ, by path; None stands for one that is gone."""
    paths = {*before.approvals, *after.approvals}
    return {
        path: after.approvals.get(path)
        for path in sorted(paths)
        if before.approvals.get(path) != after.approvals.get(path)
    }


def staged_but_gone(repository: Repository, base: Snapshot, head: Snapshot) -> tuple[str, ...]:
    """Find approvals that are staged, and lie neither in the work tree nor in the base."""
    staged = {file.path for file in index_files(repository, APPROVALS.rstrip("/"))}
    return tuple(sorted(staged - base.approvals.keys() - head.approvals.keys()))


def keep_in_worktree(
    repository: Repository,
    changed: Mapping[str, bytes | None],
    documents: Collection[str] = (),
) -> None:
    """Write files into the work tree, and stage them with the documents they are for.

    Raises:
        UndecidedError: git cannot write the index.
    """
    assert repository.top is not None
    for path, data in changed.items():
        file = repository.top / path
        if data is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    add(repository, [*documents, *changed])


def keep_on_branch(
    repository: Repository,
    branch: str,
    stands_at: str | None,
    onto: str,
    changed: Mapping[str, bytes | None],
    message: str,
    at: Instant,
) -> str:
    """Commit approvals on top of a commit, move the branch there, and give the new commit.

    The branch must still stand where it was seen, or (None) not exist. Neither index nor work
    tree is touched.

    Raises:
        UndecidedError: somebody else moved the branch meanwhile, or git cannot store it.
    """
    made = commit_with(repository, [onto], changed, message, at)
    if not update_ref(repository, branch, made, stands_at):
        words = f"{branch} was moved by somebody else meanwhile"
        raise UndecidedError(Problem("branch-moved", words, f"git log {branch}"))
    return made


def commit_with(
    repository: Repository,
    parents: Sequence[str],
    changed: Mapping[str, bytes | None],
    message: str,
    at: Instant,
) -> str:
    """Store a commit that differs from its first parent in these files alone."""
    return write_commit(
        repository, tree_with(repository, parents[0], changed), parents, message, at
    )
