"""Finds the branch or pull request that somebody names for review, and fetches it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from agentpolicy.base.errors import AgentPolicyError, InputError, Problem, UndecidedError
from agentpolicy.gitio.refs import branch_worktree, resolve
from agentpolicy.gitio.repository import Repository, text_of
from agentpolicy.workflows.fetching import commit_named, remote_of
from agentpolicy.workflows.kept import keep_in_worktree

_HEADS = "refs/heads/"
_REQUEST = re.compile(r"(?:refs/)?((?:pull|merge-requests)/([0-9]+))(?:/head|/merge)?")


@dataclass(frozen=True, slots=True)
class Branch:
    """What is reviewed, and where an approval of it goes."""

    commit: str
    """The commit that is reviewed."""
    ref: str | None
    """The local branch that an approval is committed on; None: a commit without a branch."""
    push: str
    """What to type once the approval is committed there."""
    author_rebases: str
    """What its author types when it is behind the policy ref."""
    stands_at: str | None = None
    """Where the local branch is now; None: it does not exist yet."""
    tracked: str | None = None
    """The ref that shows where the policy ref of its remote is; None: as it is known here."""
    checked_out: bool = False
    """Whether the local branch is the one that is checked out here."""


def find_branch(repository: Repository, name: str, policy_ref: str) -> Branch:
    """Find what a word names: a branch here, a branch or pull request of a remote, a commit.

    What is at a remote is fetched, together with the policy ref it would land on.

    Raises:
        InputError: it names nothing, or the policy ref itself.
        UndecidedError: it cannot be fetched, or the branch here went another way.
    """
    remotes = text_of(repository.run("remote")).splitlines()
    remote = next((one for one in remotes if name.startswith(f"{one}/")), None)
    if remote is not None:
        return _remote_branch(repository, remote, name.removeprefix(f"{remote}/"), policy_ref)
    request = _REQUEST.fullmatch(name)
    if request is not None:
        return _request(repository, remote_of(repository), request, policy_ref)
    ref = name if name.startswith(_HEADS) else _HEADS + name
    _not_policy(ref, policy_ref)
    tip = resolve(repository, ref) if _may_be_ref(repository, ref) else None
    if tip is not None:
        return _local(repository, ref, tip, remote_of(repository), policy_ref)
    try:
        commit = commit_named(repository, name)
    except AgentPolicyError:
        fallback = remote_of(repository)
        if fallback is None or not _may_be_ref(repository, ref):
            raise
        return _remote_branch(repository, fallback, ref.removeprefix(_HEADS), policy_ref)
    return Branch(commit, None, "", _rebases("HEAD", policy_ref))


def follow(repository: Repository, branch: Branch, changed: Mapping[str, bytes | None]) -> None:
    """Bring the work tree along, where the branch that has just moved is checked out in it.

    Raises:
        UndecidedError: git cannot write the index.
    """
    if branch.checked_out:
        keep_in_worktree(repository, changed)


def _remote_branch(repository: Repository, remote: str, branch: str, policy_ref: str) -> Branch:
    ref, tracking = _HEADS + branch, f"refs/remotes/{remote}/{branch}"
    _not_policy(ref, policy_ref)
    tracked = _fetch(repository, remote, ref, tracking, policy_ref)
    there, here = resolve(repository, tracking), resolve(repository, ref)
    assert there is not None, "it was fetched"
    push, rebases = f"git push {remote} {branch}", _rebases(branch, policy_ref)
    if here is None or (here != there and _is_ancestor(repository, here, there)):
        _not_checked_out(repository, ref)
        return Branch(there, ref, push, rebases, here, tracked)
    if here == there or _is_ancestor(repository, there, here):
        checked_out = _checked_out_here(repository, ref)
        if not checked_out:
            _not_checked_out(repository, ref)
        return Branch(here, ref, push, rebases, here, tracked, checked_out)
    words = f"your branch {branch} and {remote}/{branch} went different ways"
    raise UndecidedError(Problem("branch-diverged", words, f"git checkout {branch} && git pull"))


def _request(
    repository: Repository, remote: str | None, found: re.Match[str], policy_ref: str
) -> Branch:
    if remote is None:
        words = f"{found[0]} is at a remote, and there is none here"
        raise InputError(Problem("no-remote", words, "git remote add origin URL"))
    local = found[1].replace("/", "-")
    tracking = f"refs/agentpolicy/review/{found[1]}"
    tracked = _fetch(repository, remote, f"refs/{found[1]}/head", tracking, policy_ref)
    there = resolve(repository, tracking)
    assert there is not None, "it was fetched"
    ref = _HEADS + local
    here = resolve(repository, ref)
    if here is not None and _is_ancestor(repository, there, here):
        there = here
    elif here is not None and not _is_ancestor(repository, here, there):
        words = f"{found[0]} was rewritten since it was fetched into {local}"
        raise UndecidedError(Problem("branch-diverged", words, f"git branch -D {local}"))
    _not_checked_out(repository, ref)
    push = f"git push URL-OF-ITS-AUTHOR {local}:BRANCH, or approve again with --bundle FILE"
    return Branch(there, ref, push, _rebases("BRANCH", policy_ref), here, tracked)


def _local(
    repository: Repository, ref: str, tip: str, remote: str | None, policy_ref: str
) -> Branch:
    branch = ref.removeprefix(_HEADS)
    here = _checked_out_here(repository, ref)
    if not here:
        _not_checked_out(repository, ref)
    push = f"git push {remote} {branch}" if remote else f"git merge --no-ff {branch}"
    return Branch(tip, ref, push, _rebases(branch, policy_ref), tip, None, here)


def _fetch(
    repository: Repository, remote: str, ref: str, tracking: str, policy_ref: str
) -> str | None:
    """Fetch a ref and the policy ref; give where the latter is kept, None where it is not there."""
    main = f"refs/remotes/{remote}/{policy_ref.removeprefix(_HEADS)}"
    quietly = ("fetch", "--quiet", "--no-tags", remote)
    code, _ = repository.try_run(*quietly, f"+{ref}:{tracking}", f"+{policy_ref}:{main}")
    if code == 0:
        return main
    if repository.try_run(*quietly, f"+{ref}:{tracking}")[0] == 0:
        return None
    words = f"{ref} cannot be fetched from {remote}"
    raise UndecidedError(Problem("not-fetched", words, f"git fetch {remote} {ref}"))


def _rebases(branch: str, policy_ref: str) -> str:
    main = policy_ref.removeprefix(_HEADS)
    return f"git rebase {main} {branch} && agentpolicy sign --rebase --key KEY"


def _not_policy(ref: str, policy_ref: str) -> None:
    if ref == policy_ref:
        words = f"{ref} is the policy ref itself: what stands there has landed"
        raise InputError(Problem("policy-ref", words, "name the branch that is proposed"))


def _may_be_ref(repository: Repository, ref: str) -> bool:
    return repository.try_run("check-ref-format", ref)[0] == 0


def _is_ancestor(repository: Repository, one: str, other: str) -> bool:
    return repository.try_run("merge-base", "--is-ancestor", one, other)[0] == 0


def _checked_out_here(repository: Repository, ref: str) -> bool:
    return repository.top is not None and branch_worktree(repository, ref) == str(repository.top)


def _not_checked_out(repository: Repository, ref: str) -> None:
    """Refuse to move a branch under somebody's feet."""
    where = branch_worktree(repository, ref)
    if where:
        words = f"{ref} is checked out in {where}, and would move there unseen"
        hint = f"cd {where} && git pull, then agentpolicy approve without naming it"
        raise UndecidedError(Problem("branch-checked-out", words, hint))
