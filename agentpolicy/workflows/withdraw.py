"""Takes one's approvals back before they land, also those of a branch that was closed."""

from collections.abc import Iterator
from dataclasses import dataclass

from agentpolicy import RULE_SET
from agentpolicy.admission.approvals import Examined, opened
from agentpolicy.base.canonical import digest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.layout import approval_path, is_approval, withdrawal_path
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.refs import update_ref
from agentpolicy.gitio.repository import Repository
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.trust.approval import (
    APPROVAL_NAMESPACE,
    LAPSES_AFTER,
    ApprovalRole,
    ApprovalStatement,
    Covered,
    Operation,
)
from agentpolicy.trust.authority import Authority
from agentpolicy.trust.envelope import Signer, parse_envelope, seal
from agentpolicy.workflows.fetching import remote_of
from agentpolicy.workflows.kept import commit_with, keep_in_worktree
from agentpolicy.workflows.policy_chain import PolicyChain, landing_tip, pin_of, walk
from agentpolicy.workflows.review_branch import find_branch
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at, snapshot_of_worktree


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What was taken back, and what makes it so."""

    person: str
    approvals: tuple[str, ...]
    """The paths of the approvals that are taken back."""
    next_command: str


def withdraw(
    repository: Repository, signer: Signer, at: Instant, name: str, reason: str
) -> Withdrawn:
    """Withdraw the person's approvals on a branch, in the work tree (no name), or by digest.

    On the policy ref the withdrawal is staged. Elsewhere it is committed on a branch of its own
    on top of the policy ref, because it takes effect where the approval would land.

    Raises:
        InputError: the person gave no approval there that has not landed.
        UndecidedError: there is no pin, history cannot be judged, or nothing can be fetched.
    """
    pin = pin_of(repository)
    tip, on_policy_ref = landing_tip(repository, pin.policy_ref)
    with Objects(repository) as objects:
        chain = walk(objects, pin, tip, at, cache=ReadCache())
        roles = chain.authority
        person = roles.person_of(signer.public_key) if roles else None
        if roles is None or person is None:
            words = f"{signer.public_key.fingerprint} is no live key of anybody in roles.yaml"
            hint = "name your own key with --key"
            raise InputError(Problem("unknown-key", words, hint))
        digests = tuple(_named(repository, objects, chain, name, person))
    changed: dict[str, bytes | None] = {
        withdrawal_path(person, one): _signed(chain, roles, signer, person, one, reason, at)
        for one in digests
    }
    paths = tuple(approval_path(one) for one in digests)
    if on_policy_ref:
        beside = {path: None for path in paths if _lies_here(repository, path)}
        keep_in_worktree(repository, {**beside, **changed})
        return Withdrawn(person, paths, 'git commit -m "Withdraw an approval"')
    assert tip is not None, "there are roles"
    branch = f"withdraw-{digests[0].removeprefix('sha256:')[:12]}"
    made = commit_with(repository, [tip], changed, f"Withdraw {len(digests)} by {person}", at)
    if not update_ref(repository, f"refs/heads/{branch}", made, None):
        words = f"there is a branch {branch} already"
        raise InputError(Problem("branch-exists", words, f"git branch -D {branch}"))
    remote, main = remote_of(repository), pin.policy_ref.removeprefix("refs/heads/")
    push = f"git push {remote} {branch}:{main}" if remote else f"git merge {branch}  # on {main}"
    return Withdrawn(person, paths, push)


def _named(
    repository: Repository, objects: Objects, chain: PolicyChain, name: str, person: str
) -> Iterator[str]:
    """Give the digests of the statements that are meant."""
    exact = _digest_in(name)
    if exact is not None:
        if approval_path(exact) in chain.state.approvals:
            raise InputError(_landed(approval_path(exact)))
        yield exact
        return
    side = _side(repository, objects, chain, name)
    own = [
        found
        for path, data in sorted(side.approvals.items())
        if path not in chain.state.approvals and _is_by(found := opened(path, data), person)
    ]
    if not own:
        where = name or "the work tree"
        words = f"{person} has given no approval in {where} that has not landed"
        hint = "agentpolicy approve --withdraw BRANCH, or the digest that names the approval's file"
        raise InputError(Problem("nothing-to-withdraw", words, hint))
    for found in own:
        yield digest(parse_envelope(side.approvals[found.path]).payload)


def _side(repository: Repository, objects: Objects, chain: PolicyChain, name: str) -> Snapshot:
    guarded, cache = guarded_by(chain.state), ReadCache()
    if not name:
        return snapshot_of_worktree(repository, guarded, cache)
    branch = find_branch(repository, name, chain.pin.policy_ref)
    return snapshot_at(objects, objects.commit(branch.commit), guarded, cache)


def _is_by(found: Examined, person: str) -> bool:
    """Say whether an approval, not a withdrawal, verifies and is in this person's name."""
    statement = found.statement
    return (
        not found.void_because
        and statement is not None
        and statement.withdrawn is None
        and statement.person == person
    )


def _digest_in(name: str) -> str | None:
    """Read a digest as it stands in a file name, or alone."""
    bare = name.rpartition("/")[2].removesuffix(".json").removeprefix("sha256:")
    path = approval_path(bare)
    return f"sha256:{bare}" if is_approval(path) else None


def _landed(path: str) -> Problem:
    words = "it has landed, so it is not taken back any more: undo the change with a new one"
    return Problem("approval-landed", words, f"git log -- {path}", path)


def _lies_here(repository: Repository, path: str) -> bool:
    return repository.top is not None and (repository.top / path).exists()


def _signed(
    chain: PolicyChain,
    roles: Authority,
    signer: Signer,
    person: str,
    withdrawn: str,
    reason: str,
    at: Instant,
) -> bytes:
    covered = Covered(
        path=approval_path(withdrawn),
        operation=Operation.WITHDRAW,
        old_sha256=withdrawn,
        new_sha256=None,
        new_blob=None,
        old_version=0,
        new_version=0,
        change_class="neutral",
    )
    statement = ApprovalStatement(
        repository=roles.repository,
        url=roles.url,
        policy_ref=chain.pin.policy_ref,
        covered=(covered,),
        rule_set=RULE_SET,
        person=person,
        role=ApprovalRole.PROPOSER,
        reason=reason,
        issued_at=at,
        expires_at=Instant(at + LAPSES_AFTER),
    )
    return seal(statement.to_bytes(), signer, APPROVAL_NAMESPACE)
