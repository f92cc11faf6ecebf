"""Signing one's own change: its versions counted on, and approvals beside it, staged."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.counting import PROPOSING
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.index import add
from agentpolicy.gitio.repository import Repository
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.conflicts import operation_under_way, settle
from agentpolicy.workflows.desk import Desk
from agentpolicy.workflows.kept import keep_in_worktree, staged_but_gone
from agentpolicy.workflows.policy_chain import landing_tip
from agentpolicy.workflows.proposal import proposal_in_worktree
from agentpolicy.workflows.signing import SigningResult, give, hopeless, wanted_of
from agentpolicy.workflows.taken_back import naming_commits
from agentpolicy.workflows.versions import count_on


def sign(
    repository: Repository, signer: Signer, at: Instant, paths: Collection[str] = ()
) -> SigningResult:
    """Sign the changed documents that the key's person may put forward; count versions on first.

    Nothing is signed, and no file written, while one of them could never land whoever signed it.

    Raises:
        InputError: a document cannot be read, or a path names nothing that changed.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    draft = proposal_in_worktree(repository, at)
    wanted = wanted_of(draft, paths)
    problems = hopeless(draft, wanted)
    if problems:
        tip, _ = landing_tip(repository, draft.pin.policy_ref)
        problems = naming_commits(repository, problems, tip)
        return SigningResult(draft, "", problems=problems)
    count_on(repository, draft, wanted)
    desk = Desk.at_work(proposal_in_worktree(repository, at), signer, at, "")
    return staged(repository, give(desk, PROPOSING, wanted))


@dataclass(frozen=True, slots=True)
class SignedAgain:
    """What came of signing on a new base."""

    settled: tuple[str, ...]
    """The documents whose conflict was about their version number alone."""
    problems: tuple[Problem, ...]
    """The conflicts that a person must look at; then nothing was signed."""
    given: SigningResult | None
    under_way: str
    """The git command that waits to go on, such as `rebase`; empty where none does."""


def sign_again(
    repository: Repository, signer: Signer, at: Instant, paths: Collection[str] = ()
) -> SignedAgain:
    """Sign after the base has moved, during a rebase or merge or after it.

    Conflicts in nothing but version numbers are settled, the numbers follow the new base, and
    approvals that still hold stay.

    Raises:
        InputError, UndecidedError: as `sign`.
    """
    found, under_way = settle(repository), operation_under_way(repository)
    if found.problems:
        return SignedAgain(found.paths, found.problems, None, under_way)
    given = sign(repository, signer, at, paths)
    add(repository, found.paths)
    return SignedAgain(found.paths, (), given, under_way)


def staged(repository: Repository, given: SigningResult) -> SigningResult:
    """Keep what was signed in the work tree, and clear away what is staged but gone from it."""
    if not given.person:
        return given
    base, head = given.proposal.base, given.proposal.head
    gone = staged_but_gone(repository, base, head)
    documents = [path for signed in given.signed for path in signed.documents]
    keep_in_worktree(repository, {**dict.fromkeys(gone), **given.changed}, documents)
    odd = tuple(Examined(path, None, None, "it is gone from the work tree") for path in gone)
    return replace(given, cleared=(*given.cleared, *odd))
