"""May this change land? One function, asked by hooks, check, verify-history and the gate."""

from collections.abc import Iterator, Sequence

from agentpolicy.admission import documents, refusals, waivers
from agentpolicy.admission.approvals import ApprovalContext, Examined, examine
from agentpolicy.admission.counting import Need, count, fills
from agentpolicy.admission.guarded import under_one_guard
from agentpolicy.admission.ratifying import with_ratified
from agentpolicy.admission.requirements import requirements
from agentpolicy.admission.rotation import is_reset
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant
from agentpolicy.base.values import dataclass, field
from agentpolicy.documents.document import Snapshot
from agentpolicy.documents.stored_approvals import differing
from agentpolicy.order.change import ChangeReport
from agentpolicy.order.classify import Schemas, classify
from agentpolicy.trust.authority import authority_of
from agentpolicy.trust.pin import Pin


@dataclass(frozen=True, slots=True)
class StepContext:
    """What a step is judged under, besides its two sides."""

    pin: Pin
    schemas: Schemas
    at: Instant
    entering: bool = False
    """Whether the step is entering now (hooks, CI): only then do approvals lapse."""
    confirmed: frozenset[str] | None = None
    """Gate-signed verdicts in the log, for new waivers; None: not asked (history)."""


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether a step may land, and everything the answer rests on."""

    admitted: bool
    report: ChangeReport
    problems: tuple[Problem, ...] = ()
    needs: tuple[Need, ...] = ()
    examined: tuple[Examined, ...] = field(default=(), repr=False)
    unreadable: bool = False
    """Whether it was refused because a document cannot be read."""


def decide(base: Snapshot, head: Snapshot, step: StepContext) -> Admission:
    """Decide whether `head` may follow the last admissible state `base`.

    The roles that count are those of `base`; for the very first policy, and for a reset, those
    that the pin names. Restoring exactly the last admissible state needs no signature. Everything
    is checked, so that one answer names all that is missing.

    Raises:
        InputError: the trust root of the base side cannot be read (it was admitted, so it can).
    """
    base, head = under_one_guard(base, head)
    report = classify(base, head, step.schemas)
    hopeless = report.problems or refusals.untrusted_root(base, head, step.pin)
    if hopeless:
        return Admission(False, report, hopeless, unreadable=bool(head.unreadable))
    if _same(base, head):
        return Admission(True, report)
    head_roles = head.roles
    assert head_roles is not None, "untrusted_root refuses a step that ends without roles"
    after = authority_of(head_roles)
    pinned = base.roles is None or is_reset(base.roles, head_roles, step.pin)
    before = after if pinned or base.roles is None else authority_of(base.roles)
    report = with_ratified(base, head, report)
    changes = {change.path: change for change in report.documents}
    at = step.at if step.entering else None
    examined = examine(base, head, ApprovalContext(before, after, step.pin.policy_ref, changes, at))
    needs = count(requirements(base, report, before, after, step.at), examined)
    problems = (
        *documents.altered_approvals(base, head),
        *documents.hopeless(base, before, report, step.confirmed),
        *documents.wrong_versions(base, report),
        *waivers.crowded(base, head, report, step.at),
        *refusals.missing(needs, examined, report),
        *_unused(examined, needs, report),
    )
    return Admission(not problems, report, problems, needs, examined)


def _same(base: Snapshot, head: Snapshot) -> bool:
    """Say whether two sides hold the same bytes."""
    alike = (base.digests, base.guarded) == (head.digests, head.guarded)
    return alike and differing(base.approvals, head.approvals) == ([], [])


def _unused(
    examined: Sequence[Examined], needs: Sequence[Need], report: ChangeReport
) -> Iterator[Problem]:
    """An approval enters only in the step that uses it, so none can be kept for later."""
    for approval in examined:
        if not (approval.withdraws or any(fills(approval, need.requirement) for need in needs)):
            yield refusals.unused(approval, report)
