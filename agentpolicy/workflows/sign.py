"""Signing one's own change: its versions counted on, and approvals beside it, staged."""

from collections.abc import Collection
from dataclasses import replace

from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.counting import PROPOSING
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.repository import Repository
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.desk import Desk
from agentpolicy.workflows.kept import keep_in_worktree, staged_but_gone
from agentpolicy.workflows.proposal import proposal_in_worktree
from agentpolicy.workflows.signing import SigningResult, give, hopeless, wanted_of
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
        return SigningResult(draft, "", problems=problems)
    count_on(repository, draft, wanted)
    desk = Desk.at_work(proposal_in_worktree(repository, at), signer, at, "")
    return staged(repository, give(desk, PROPOSING, wanted))


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
