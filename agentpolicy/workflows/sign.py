"""Signing: turns a proposal in the work tree into approvals that lie beside it, staged.

`sign` is for those who put a change forward (as agent owner or as proposer); `approve` for those
who say yes to somebody else's. Both write one statement a role and replace what the same person
had signed for an earlier draft of the same documents.
"""

from collections.abc import Collection
from dataclasses import dataclass

from agentpolicy.admission import documents, refusals
from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.counting import PROPOSING, Need
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.base.instant import Instant
from agentpolicy.gitio.repository import Repository
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.envelope import Signer
from agentpolicy.workflows.desk import Desk, Signed
from agentpolicy.workflows.proposal import Proposal, proposal_in_worktree
from agentpolicy.workflows.versions import count_on


@dataclass(frozen=True, slots=True)
class SigningResult:
    """What was signed, what was left for others, and what keeps the person from signing."""

    proposal: Proposal
    person: str
    signed: tuple[Signed, ...] = ()
    problems: tuple[Problem, ...] = ()
    cleared: tuple[str, ...] = ()
    """Stray approvals that were removed: nothing here asked for them."""
    missing: tuple[Need, ...] = ()
    """What is still needed before the change can land."""


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
    wanted = _wanted(draft, paths)
    hopeless = _hopeless(draft, wanted)
    if hopeless:
        return SigningResult(draft, "", problems=hopeless)
    count_on(repository, draft, wanted)
    return _give(Desk.at_work(repository, signer, at, ""), PROPOSING, wanted)


def approve(
    repository: Repository,
    signer: Signer,
    at: Instant,
    *,
    role: ApprovalRole,
    reason: str,
    paths: Collection[str] = (),
) -> SigningResult:
    """Approve the changes that need this role, as a second person.

    Nothing is signed while one of them could never land, or has not counted its version on yet:
    the approval would be void as soon as that is put right.

    Raises:
        InputError: a document cannot be read, or a path names nothing that changed.
        UndecidedError: there is no pin, or history cannot be judged.
    """
    desk = Desk.at_work(repository, signer, at, reason)
    wanted = _wanted(desk.proposal, paths)
    versions = documents.wrong_versions(desk.proposal.base, desk.proposal.report)
    problems = (
        *_hopeless(desk.proposal, wanted),
        *(problem for problem in versions if problem.document in wanted),
    )
    if problems:
        return SigningResult(desk.proposal, desk.person, problems=problems)
    return _give(desk, (role,), wanted)


def _wanted(proposal: Proposal, paths: Collection[str]) -> frozenset[str]:
    """Give the changed documents at or below the paths; without any, all that changed."""
    changed = frozenset(change.path for change in proposal.report.documents)
    wanted: set[str] = set()
    for path in paths:
        found = {one for one in changed if path in (".", one) or one.startswith(f"{path}/")}
        wanted |= found
        if not found:
            listed = ", ".join(sorted(changed)) or "nothing"
            words = f"it does not change; what changes: {listed}"
            raise InputError(Problem("not-changed", words, "agentpolicy diff", path))
    return frozenset(wanted) or changed


def _hopeless(proposal: Proposal, wanted: frozenset[str]) -> tuple[Problem, ...]:
    """Say what keeps the wanted documents from ever landing.

    Whether the log holds the verdict that a new waiver cites is not among it: the log may be
    elsewhere still.
    """
    base, head = proposal.base, proposal.head
    about = documents.hopeless(base, proposal.before, proposal.report, None)
    return (
        *refusals.untrusted_root(base, head, proposal.pin),
        *documents.altered_approvals(base, head),
        *(problem for problem in about if problem.document in wanted),
    )


def _give(desk: Desk, roles: tuple[ApprovalRole, ...], wanted: frozenset[str]) -> SigningResult:
    """Sign in each of the roles what the person may, and say what was left."""
    proposal, person = desk.proposal, desk.person
    if not person:
        unknown = f"{desk.signer.public_key.fingerprint} is no live key of anybody in roles.yaml"
        hint = signing_command(roles[0])
        return SigningResult(proposal, "", problems=(Problem("unknown-key", unknown, hint),))
    asked = [need for need in proposal.requirements if need.role in roles]
    mine = [need for need in asked if desk.may_fill(need)]
    cleared = desk.clear_stray()
    signed: list[Signed] = []
    for role in roles:
        paths = {need.document for need in mine if need.role is role} & wanted
        if paths:
            signed.append(desk.write(role, paths))
    covered = {path for given in signed for path in given.documents}
    left = [need for need in asked if need.count and need.document in wanted - covered]
    problems = () if signed or not left else (desk.why_not(left),)
    after = Desk.at_work(desk.repository, desk.signer, desk.at, desk.reason)
    return SigningResult(proposal, person, tuple(signed), problems, cleared, after.missing())
