"""Refs by full name only, so that no tag or branch can stand in for another."""

import time

from agentpolicy.base.errors import InputError, Problem, UndecidedError
from agentpolicy.base.values import dataclass
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.raw import is_oid, zero_oid
from agentpolicy.gitio.repository import Repository, text_of

LOG_REF = "refs/heads/agentpolicy/log"
"""The verdict log's branch: append-only, so no push may delete or rewrite it."""

_SHAPELESS = frozenset("*?[\\ ~^:\x7f")
_TRIES = 5
_PAUSE_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Head:
    """What HEAD points at."""

    ref: str | None
    """The branch checked out, `refs/heads/main`; None when HEAD is detached."""
    oid: str | None
    """The commit checked out; None when the branch has none yet."""


def resolve(repository: Repository, ref: str) -> str | None:
    """Give the object a full ref name points at; None when there is no such ref.

    Raises:
        InputError: not a full name such as `refs/heads/main`.
        UndecidedError: git cannot read its refs.
    """
    return _listed(repository, ref, "%(objectname)")


def commit_named(repository: Repository, name: str) -> str:
    """Give the commit that a person's word names: a branch, a tag, `HEAD~1`, or an id.

    Raises:
        InputError: the word means nothing here.
        UndecidedError: it is an id of something this clone does not hold.
    """
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    code, out = repository.try_run(*words)
    if code:
        problem = Problem("unknown-commit", f"{name!r} names no commit here.", "git fetch")
        if is_oid(name, repository.object_format):
            raise UndecidedError(problem)
        raise InputError(problem)
    return text_of(out).strip()


def head(repository: Repository) -> Head:
    """Say which branch and which commit are checked out; an unborn branch has no commit.

    Raises:
        UndecidedError: git cannot read HEAD.
    """
    ref = head_ref(repository)
    if ref is not None:
        return Head(ref, resolve(repository, ref))
    # detached, so HEAD itself exists and nothing else is tried in its place
    return Head(None, text_of(repository.run("rev-parse", "--verify", "HEAD^{commit}").strip()))


def head_ref(repository: Repository) -> str | None:
    """Give the branch HEAD names, born or not; None when HEAD is detached.

    Raises:
        UndecidedError: git cannot read HEAD.
    """
    code, out = repository.try_run("symbolic-ref", "--quiet", "HEAD")
    if code == 1:
        return None
    return text_of((out if code == 0 else repository.run("symbolic-ref", "HEAD")).rstrip(b"\n"))


def behind(repository: Repository, ref: str) -> str:
    """Give the ref that moves when this one is written: itself, or what a symbolic ref stands for.

    Raises:
        UndecidedError: git cannot read the ref.
    """
    words = ("symbolic-ref", "--quiet", ref)
    code, out = repository.try_run(*words)
    if code == 1:
        return ref
    return text_of((out if code == 0 else repository.run(*words)).rstrip(b"\n"))


def standing(repository: Repository, ref: str) -> tuple[str | None, bool]:
    """Give the object a branch points at, and whether that branch is checked out, in one call.

    Raises:
        InputError: not a full name such as `refs/heads/main`.
        UndecidedError: git cannot read its refs.
    """
    found = _listed(repository, ref, "%(HEAD)%(objectname)")
    if found is None:  # not born: git lists no such branch, though HEAD may name it
        return None, head_ref(repository) == ref
    return found[1:], found[0] == "*"


def remote_tracking(repository: Repository, ref: str) -> str | None:
    """Give the ref that remembers where a remote has this branch; None where none exists.

    The branch's own upstream comes first, then `origin`, then the only remote that has it.

    Raises:
        InputError: not a full name such as `refs/heads/main`.
        UndecidedError: git cannot read its refs.
    """
    upstream = _listed(repository, ref, "%(upstream)")
    if upstream and upstream.startswith("refs/remotes/") and resolve(repository, upstream):
        return upstream
    branch = ref.removeprefix("refs/heads/")
    remotes = text_of(repository.run("remote")).splitlines()
    known = [f"refs/remotes/{remote}/{branch}" for remote in remotes]
    known = [name for name in known if resolve(repository, name)]
    ours = f"refs/remotes/origin/{branch}"
    if ours in known:
        return ours
    return known[0] if len(known) == 1 else None


def branch_worktree(repository: Repository, ref: str) -> str | None:
    """Give the top of the work tree that a branch is checked out in; None where it is in none.

    Raises:
        InputError: not a full name such as `refs/heads/main`.
        UndecidedError: git cannot read its refs.
    """
    return _listed(repository, ref, "%(worktreepath)")


def shown_by_remote(repository: Repository, remote: str, ref: str) -> str | None:
    """Ask a remote now where a ref is; None where it has none, or cannot be asked.

    Git lists every ref that ends in the name; only the one of exactly this name counts.
    """
    code, out = repository.try_run("ls-remote", "--", remote, ref)
    lines = (line.partition("\t") for line in out.decode("utf-8", "replace").splitlines())
    shown = [oid for oid, _, name in lines if name == ref]
    return shown[0] if code == 0 and len(shown) == 1 else None


def update_ref(repository: Repository, ref: str, new: str, old: str | None) -> bool:
    """Move a ref from `old` to `new`; False when it was no longer at `old`.

    `old` None means the ref must not exist yet.

    Raises:
        InputError: not a full name such as `refs/heads/main`.
        UndecidedError: git refused for another reason than that somebody else was first.
    """
    _require_full_name(ref)
    command = ("update-ref", "--no-deref", ref, new, old or zero_oid(repository.object_format))
    for _ in range(_TRIES):
        if repository.try_run(*command)[0] == 0:
            return True
        if resolve(repository, ref) != old:
            return False
        time.sleep(_PAUSE_SECONDS)  # somebody holds the lock
    repository.run(*command)
    return True


def is_first_parent_ancestor(objects: Objects, ancestor: str, tip: str) -> bool:
    """Say whether `ancestor` is `tip` or on its first-parent chain, reading commits in process.

    Raises:
        UndecidedError: history is cut before the answer is known.
    """
    return objects.first_parents(tip, ancestor) is not None


def _listed(repository: Repository, ref: str, field: str) -> str | None:
    _require_full_name(ref)
    # A pattern also lists refs below it (main/x), so the name comes back to be compared.
    out = repository.run("for-each-ref", f"--format=%(refname) {field}", ref)
    for line in text_of(out).splitlines():
        name, _, value = line.partition(" ")
        if name == ref:
            return value or None
    return None


def _require_full_name(ref: str) -> None:
    if not ref.startswith("refs/") or ".." in ref or not _SHAPELESS.isdisjoint(ref):
        message = f"{ref!r} is not a full ref name."
        raise InputError(Problem("ref-name", message, "write it in full, as in refs/heads/main"))
