"""Approving somebody else's change: in the work tree, on a branch, or into a file to send."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path

from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.repository import Repository
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.desk import Desk
from agentpolicy.workflows.kept import keep_on_branch
from agentpolicy.workflows.proposal import Proposal, proposal_at, proposal_in_worktree
from agentpolicy.workflows.review_branch import Branch, follow
from agentpolicy.workflows.sign import staged
from agentpolicy.workflows.signing import SigningResult, give, hopeless, uncounted, wanted_of
from agentpolicy.workflows.vouching import cannot_vouch


@dataclass(frozen=True, slots=True)
class Assent:
    """Who says yes, in which role and why, and what to show them before they sign."""

    signer: Signer
    role: ApprovalRole
    reason: str
    show: Callable[[Proposal], None]
    evidence: tuple[Path, ...] = ()
    """Files and folders where what digests stand for can be read."""


def approve_here(
    repository: Repository,
    assent: Assent,
    at: Instant,
    paths: Collection[str] = (),
    bundle: Path | None = None,
) -> SigningResult:
    """Approve the changes in the work tree that need this role, as a second person.

    Nothing is signed while one of them could never land, or has not counted its version on yet:
    the approval would be void as soon as that is put right.

    Raises:
        InputError: a document cannot be read, or a path names nothing that changed.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    proposal = proposal_in_worktree(repository, at)
    given = _say_yes(repository, proposal, assent, at, wanted_of(proposal, paths))
    return staged(repository, given) if bundle is None else bundled(given, bundle)


def approve_branch(
    repository: Repository,
    assent: Assent,
    at: Instant,
    branch: Branch,
    bundle: Path | None = None,
) -> SigningResult:
    """Approve what a branch would bring to the policy ref, and commit the approval on it.

    Raises:
        InputError: a document of it cannot be read, or there is no branch to commit on.
        UndecidedError: there is no pin, history cannot be judged, or the branch was moved.
    """
    proposal = proposal_at(repository, branch.commit, at, branch.tracked)
    wanted = wanted_of(proposal, ())
    given = _say_yes(repository, proposal, assent, at, wanted, outdated=branch.author_rebases)
    if bundle is not None:
        return bundled(given, bundle)
    if given.signed and given.changed:
        assert branch.ref is not None, "a commit without a branch takes bundles only"
        message = f"Approve as {assent.role} ({given.person}): {assent.reason}"
        keep_on_branch(
            repository, branch.ref, branch.stands_at, branch.commit, given.changed, message, at
        )
        follow(repository, branch, given.changed)
    return given


def bundled(given: SigningResult, bundle: Path) -> SigningResult:
    """Write the one signed statement into a file that `approve import` reads; nothing else.

    Raises:
        InputError: the file cannot be written.
    """
    for signed in given.signed:
        data = given.changed[signed.path]
        assert data is not None
        try:
            bundle.write_bytes(data)
        except OSError as error:
            words = f"{bundle} cannot be written: {error.strerror}"
            hint = "name a file in a folder that is there with --bundle"
            raise InputError(Problem("file-unwritable", words, hint)) from error
    return replace(given, cleared=())


def _say_yes(
    repository: Repository,
    proposal: Proposal,
    assent: Assent,
    at: Instant,
    wanted: frozenset[str],
    outdated: str = "",
) -> SigningResult:
    behind = uncounted(proposal, wanted)
    if outdated:
        behind = tuple(replace(problem, hint=outdated) for problem in behind)
    desk = Desk.at_work(proposal, assent.signer, at, assent.reason)
    problems = (
        *hopeless(proposal, wanted),
        *behind,
        *cannot_vouch(repository, proposal, wanted, assent.role, assent.evidence),
    )
    if problems:
        return SigningResult(proposal, desk.person, problems=problems)
    assent.show(proposal)
    return give(desk, (assent.role,), wanted)
