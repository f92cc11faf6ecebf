"""What a new waiver must show before anybody's approval counts (DESIGN section 8)."""

from collections.abc import Iterator, Mapping

from agentpolicy.admission.approvals import highest_version
from agentpolicy.admission.waived_limit import limits_in_force
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant, end_of, parse_date
from agentpolicy.documents.document import Document, DocumentKind, Snapshot, Value
from agentpolicy.documents.layout import is_closed, kind_of
from agentpolicy.order.change import ChangeReport, DocumentChange, Operation
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import Authority

MAX_DAYS = 30
"""How long a waiver may last where its band does not say (DESIGN 5.2)."""
_SHOWN_OTHERWISE = frozenset({"fixture_id", "field", "measured"})
"""Evidence that every waiver carries under other keys: its cases, or its metric and subject."""


def has_expired(waiver: Document, at: Instant) -> bool:
    """Say whether a waiver's last day is over."""
    return at >= end_of(parse_date(str(waiver.tree["expires_on"])))


def governing(base: Snapshot, waiver: Document) -> Document | None:
    """Find the band, or the budget, whose limit a waiver is for; None where none is in force."""
    tree = waiver.tree
    if "agent" in tree:
        return base.documents.get(f"policies/bands/{tree['agent']}.yaml")
    pair = (tree["task_type"], tree["variant"])
    for document in base.documents.values():
        own = (document.tree.get("task_type"), document.tree.get("variant"))
        if document.kind is DocumentKind.BUDGET and own == pair:
            return document
    return None


def approver_of(base: Snapshot, waiver: Document) -> ApprovalRole:
    """Give the role whose approval a new waiver needs.

    A limit of a budget, or on a whole set of runs, is the platform owner's to waive; else the
    band says, and where it does not, the reviewer.
    """
    if "agent" not in waiver.tree or "scope" in waiver.tree:
        return ApprovalRole.PLATFORM_OWNER
    rules = _rules(governing(base, waiver))
    return ApprovalRole(str(rules.get("approver", ApprovalRole.REVIEWER)))


def objections(
    base: Snapshot, roles: Authority, change: DocumentChange, confirmed: frozenset[str] | None
) -> Iterator[Problem]:
    """Find what is wrong with a new waiver; `confirmed` are the gate-signed verdicts, if known."""
    waiver = change.new
    assert waiver is not None
    tree = waiver.tree
    if highest_version(base, change.path):
        yield _problem(
            waiver, "/id", "waiver-reused", "this waiver id was used before; choose another"
        )
    if str(tree["owner"]) not in roles.people:
        yield _problem(waiver, "/owner", "waiver-owner", f"{tree['owner']} is not a listed person")
    document = governing(base, waiver)
    if document is None:
        yield _ungoverned(waiver)
        return
    yield from _limits(base, document, waiver)
    if confirmed is not None and str(tree["verdict"]) not in confirmed:
        yield _problem(
            waiver,
            "/verdict",
            "waiver-verdict",
            "the cited verdict is not in the log as one signed by the gate for the policy in force",
        )


def crowded(base: Snapshot, head: Snapshot, report: ChangeReport, at: Instant) -> Iterator[Problem]:
    """Refuse new waivers beyond `max_open`; every unexpired file counts, whatever its state."""
    for change in report.documents:
        if kind_of(change.path) is DocumentKind.WAIVER and change.operation is Operation.ADD:
            yield from too_many_open(base, head, change, at)


def too_many_open(
    base: Snapshot, head: Snapshot, change: DocumentChange, at: Instant
) -> Iterator[Problem]:
    """Refuse one new waiver where the unexpired ones, this one with them, are too many."""
    waiver = change.new
    assert waiver is not None
    document = governing(base, waiver)
    most = _rules(document).get("max_open")
    if document is None or not isinstance(most, int):
        return
    unexpired = sum(
        other.kind is DocumentKind.WAIVER
        and not is_closed(other.path)
        and not has_expired(other, at)
        and governing(base, other) is document
        for other in head.documents.values()
    )
    if unexpired > most:
        message = f"{document.path} allows {most} open waivers; with this one there are {unexpired}"
        yield _problem(waiver, "", "waiver-max-open", message)


def _ungoverned(waiver: Document) -> Problem:
    tree = waiver.tree
    if "agent" in tree:
        return _problem(waiver, "/agent", "waiver-band", f"{tree['agent']} has no band in force")
    message = f"{tree['task_type']} / {tree['variant']} has no budget in force"
    return _problem(waiver, "/task_type", "waiver-band", message)


def _limits(base: Snapshot, document: Document, waiver: Document) -> Iterator[Problem]:
    """Hold a waiver against its document: same limit, not too long, evidence complete."""
    rules, tree = _rules(document), waiver.tree
    covered = tree.get("field", tree.get("metric"))
    for limit in limits_in_force(base, document, waiver):
        if limit is None or tree["band"] != limit:
            shown = "no limit" if limit is None else limit
            message = f"{covered} in force is {shown}, not {tree['band']}"
            yield _problem(waiver, "/band", "waiver-limit", message)
            break
    days = rules.get("max_days", MAX_DAYS)
    granted, expires = parse_date(str(tree["granted_on"])), parse_date(str(tree["expires_on"]))
    assert isinstance(days, int)
    if (expires - granted).days > days:
        message = f"a waiver of this {document.kind} lasts {days} days at most"
        yield _problem(waiver, "/expires_on", "waiver-too-long", message)
    required = rules.get("required_evidence", ())
    assert isinstance(required, tuple)
    given = {*tree, *_map(tree.get("evidence")), *_SHOWN_OTHERWISE}
    for name in sorted({str(name) for name in required} - given):
        message = f"the {document.kind} asks for {name} as evidence"
        yield _problem(waiver, "", "waiver-evidence", message)


def _rules(document: Document | None) -> Mapping[str, Value]:
    return _map(document.tree.get("waivers")) if document else {}


def _map(value: Value | None) -> Mapping[str, Value]:
    return value if isinstance(value, Mapping) else {}


def _problem(waiver: Document, pointer: str, code: str, message: str) -> Problem:
    position = waiver.positions.get(pointer)
    return Problem(code, message, f"edit {waiver.path}", waiver.path, position)
