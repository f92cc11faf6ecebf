"""What is worth a thought about a change and keeps nothing from landing."""

from collections.abc import Iterator, Mapping
from datetime import date, timedelta

from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import day_of, parse_date
from agentpolicy.documents.document import Document, DocumentKind, Snapshot, Value
from agentpolicy.order.change import ChangeReport, Operation
from agentpolicy.trust.approval import ApprovalStatement, parse_statement
from agentpolicy.trust.envelope import parse_envelope
from agentpolicy.workflows.advice_noise import tighter_than_noise
from agentpolicy.workflows.advice_tools import users_of_loosened_tools
from agentpolicy.workflows.advice_vacuous import vacuous

EROSION_DAYS = 90
EROSION_WAIVERS = 3
"""So many waivers on one field in so many days say that the band is wrong (DESIGN section 8)."""
EROSION_RENEWALS = 2


def advice(new: Snapshot, report: ChangeReport) -> tuple[Problem, ...]:
    """Look at every changed document as it is now; cost follows the changed ones."""
    return tuple(_all(new, report))


def _all(new: Snapshot, report: ChangeReport) -> Iterator[Problem]:
    for change in report.documents:
        if change.new is None:
            continue
        yield from vacuous(change.new, new)
        if change.new.kind is DocumentKind.TOOLS:
            yield from users_of_loosened_tools(change, new)
        if change.new.kind is DocumentKind.BAND:
            yield from _said_to_be_approved(change.new, new)
            yield from tighter_than_noise(change.new)
        if change.new.kind is DocumentKind.WAIVER and change.operation is Operation.ADD:
            yield from _erosion(change.new, new)


def _said_to_be_approved(band: Document, new: Snapshot) -> Iterator[Problem]:
    """Compare what a band says of its approval with the approvals that are there for it."""
    given = [
        statement
        for statement in _statements(new)
        if any(covered.new_sha256 == band.sha256 for covered in statement.covered)
    ]
    if not given:
        return
    by, on = band.tree.get("approved_by"), band.tree.get("approved_on")
    names = sorted({name for one in given for name in (one.person, str(one.role))})
    if by is not None and by not in names:
        yield _differs(band, "/approved_by", f"approved_by says {by}", f"by {', '.join(names)}")
    days = sorted({day_of(one.issued_at).isoformat() for one in given})
    if on is not None and on not in days:
        yield _differs(band, "/approved_on", f"approved_on says {on}", f"of {', '.join(days)}")


def _differs(band: Document, pointer: str, said: str, found: str) -> Problem:
    return Problem(
        "approval-record",
        f"{said}, but the approvals of these bytes are {found}",
        "no verdict reads it; correct it with the next change",
        band.path,
        band.positions.get(pointer),
    )


def _statements(new: Snapshot) -> Iterator[ApprovalStatement]:
    """Read the approvals there are; whether they verify is for admission to say."""
    for path in sorted(new.approvals):
        try:
            yield parse_statement(parse_envelope(new.approvals[path]).payload)
        except ValueError:
            continue


def _erosion(waiver: Document, new: Snapshot) -> Iterator[Problem]:
    """Count the waivers of the same field; the many say what the one does not."""
    until = parse_date(str(waiver.tree["granted_on"]))
    others = [
        other
        for other in new.documents.values()
        if other.kind is DocumentKind.WAIVER
        and _subject(other.tree) == _subject(waiver.tree)
        and until - timedelta(days=EROSION_DAYS) <= _granted(other) <= until
    ]
    field = waiver.tree.get("field") or waiver.tree.get("metric")
    if len(others) >= EROSION_WAIVERS:
        yield Problem(
            "erosion",
            f"{len(others)} waivers on {field} in {EROSION_DAYS} days: the limit may be wrong",
            "propose a change of the limit instead of another waiver",
            waiver.path,
            waiver.positions.get(""),
        )
    renewals = _renewals(waiver, new)
    if renewals >= EROSION_RENEWALS:
        yield Problem(
            "erosion",
            f"renewal number {renewals} of one waiver on {field}: the limit may be wrong",
            "propose a change of the limit instead of another renewal",
            waiver.path,
            waiver.positions.get("/renews"),
        )


def _granted(waiver: Document) -> date:
    return parse_date(str(waiver.tree["granted_on"]))


def _subject(tree: Mapping[str, Value]) -> tuple[Value | None, ...]:
    """Say which limit a waiver is of, whatever else it says."""
    return tuple(tree.get(key) for key in ("agent", "task_type", "variant", "field", "metric"))


def _renewals(waiver: Document, new: Snapshot) -> int:
    """Follow `renews` back as far as it leads."""
    by_id = {
        str(other.tree["id"]): other
        for other in new.documents.values()
        if other.kind is DocumentKind.WAIVER
    }
    seen: set[str] = set()
    current: Document | None = waiver
    while current is not None and (earlier := str(current.tree.get("renews", ""))):
        if earlier in seen:
            break
        seen.add(earlier)
        current = by_id.get(earlier)
    return len(seen)
