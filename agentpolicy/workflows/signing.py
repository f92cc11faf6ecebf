"""What `sign` and `approve` share: one person signs what they may of a proposal."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from agentpolicy.admission import documents, refusals
from agentpolicy.admission.approvals import Examined
from agentpolicy.admission.commands import signing_command
from agentpolicy.admission.counting import Need
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.workflows.desk import Desk, Signed
from agentpolicy.workflows.kept import changes
from agentpolicy.workflows.proposal import Proposal


@dataclass(frozen=True, slots=True)
class SigningResult:
    """What was signed, what was left for others, and what keeps the person from signing."""

    proposal: Proposal
    person: str
    signed: tuple[Signed, ...] = ()
    problems: tuple[Problem, ...] = ()
    cleared: tuple[Examined, ...] = ()
    """Stray approvals that were removed: nothing here asks for them."""
    missing: tuple[Need, ...] = ()
    """What is still needed before the change can land."""
    changed: Mapping[str, bytes | None] = field(default_factory=dict, repr=False)
    """The approvals to write, by path, and (None) those to remove."""
    already: tuple[str, ...] = ()
    """The documents that the person had signed before, so that nothing is signed twice."""


def wanted_of(proposal: Proposal, paths: Collection[str]) -> frozenset[str]:
    """Give the changed documents at or below the paths; without any, all that changed.

    Raises:
        InputError: a path names nothing that changed.
    """
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


def hopeless(proposal: Proposal, wanted: frozenset[str]) -> tuple[Problem, ...]:
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


def uncounted(proposal: Proposal, wanted: frozenset[str]) -> tuple[Problem, ...]:
    """Say which wanted documents have not counted their version on: no approval would last."""
    versions = documents.wrong_versions(proposal.base, proposal.report)
    return tuple(problem for problem in versions if problem.document in wanted)


def give(desk: Desk, roles: tuple[ApprovalRole, ...], wanted: frozenset[str]) -> SigningResult:
    """Sign in each of the roles what the person may, and say what was left. Nothing is written.

    What they have signed already stays as it is: replacing it would undo what may have landed.
    """
    proposal, person = desk.proposal, desk.person
    if not person:
        unknown = f"{desk.signer.public_key.fingerprint} is no live key of anybody in roles.yaml"
        hint = signing_command(roles[0])
        return SigningResult(proposal, "", problems=(Problem("unknown-key", unknown, hint),))
    asked = [need for need in proposal.requirements if need.role in roles]
    mine = [need for need in asked if desk.may_fill(need)]
    cleared = desk.strays()
    after = desk.without({one.path for one in cleared})
    signed: list[Signed] = []
    filled = [need for need in mine if desk.has_filled(need)]
    for role in roles:
        open_still = [need for need in mine if need.role is role and need not in filled]
        paths = {need.document for need in open_still} & wanted
        if paths:
            after, given = after.signed(role, paths)
            signed.append(given)
    newly = {path for given in signed for path in given.documents}
    already = {need.document for need in filled} & wanted - newly
    covered = newly | already
    left = [need for need in asked if need.count and need.document in wanted - covered]
    return SigningResult(
        proposal,
        person,
        tuple(signed),
        () if covered or not left else (desk.why_not(left),),
        cleared,
        after.missing(),
        changes(proposal.head, after.proposal.head),
        tuple(sorted(already)),
    )
