"""What a new waiver must show before anybody's approval counts (DESIGN section 8)."""

from collections.abc import Iterator, Mapping

from agentpolicy.admission.approvals import highest_version
from agentpolicy.base.errors import Problem
from agentpolicy.base.instant import Instant, end_of, parse_date
from agentpolicy.documents.document import Document, Snapshot, Value
from agentpolicy.order.change import DocumentChange
from agentpolicy.trust.approval import ApprovalRole
from agentpolicy.trust.authority import Authority

MAX_DAYS = 30
"""How long a waiver may last where its band does not say (DESIGN 5.2)."""


def has_expired(waiver: Document, at: Instant) -> bool:
    """Say whether a waiver's last day is over."""
    return at >= end_of(parse_date(str(waiver.tree["expires_on"])))


def approver_of(base: Snapshot, waiver: Document) -> ApprovalRole:
    """Give the role whose approval a new waiver needs: its band's, or the reviewer."""
    rules = _rules(base, waiver)
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
    band = base.documents.get(_band_path(waiver))
    if band is None:
        yield _problem(waiver, "/agent", "waiver-band", f"{tree['agent']} has no band in force")
        return
    yield from _limits(band, waiver)
    if confirmed is not None and str(tree["verdict"]) not in confirmed:
        yield _problem(
            waiver,
            "/verdict",
            "waiver-verdict",
            "the cited verdict is not in the log as one signed by the gate for the policy in force",
        )


def _limits(band: Document, waiver: Document) -> Iterator[Problem]:
    """Hold a waiver against its band: same limit, not too long, evidence complete."""
    rules, tree = _map(band.tree.get("waivers")), waiver.tree
    limit = limit_in_force(band.tree, str(tree["field"]))
    if limit is None or tree["band"] != limit:
        shown = "no limit" if limit is None else limit
        yield _problem(
            waiver,
            "/band",
            "waiver-limit",
            f"{tree['field']} in force is {shown}, not {tree['band']}",
        )
    days = rules.get("max_days", MAX_DAYS)
    granted, expires = parse_date(str(tree["granted_on"])), parse_date(str(tree["expires_on"]))
    assert isinstance(days, int)
    if (expires - granted).days > days:
        yield _problem(
            waiver,
            "/expires_on",
            "waiver-too-long",
            f"a waiver of this band lasts {days} days at most",
        )
    required = rules.get("required_evidence", ())
    assert isinstance(required, tuple)
    given = {*tree, *_map(tree.get("evidence")), "fixture_id", "measured"}
    for name in sorted({str(name) for name in required} - given):
        yield _problem(waiver, "", "waiver-evidence", f"the band asks for {name} as evidence")


def limit_in_force(band: Mapping[str, Value], field: str) -> Value | None:
    """Read the limit a waiver's field names, such as `token_ratio.max`, from a band's tree."""
    value: Value | None = band.get("fields")
    for key in field.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _rules(base: Snapshot, waiver: Document) -> Mapping[str, Value]:
    band = base.documents.get(_band_path(waiver))
    return _map(band.tree.get("waivers")) if band else {}


def _band_path(waiver: Document) -> str:
    return f"policies/bands/{waiver.tree['agent']}.yaml"


def _map(value: Value | None) -> Mapping[str, Value]:
    return value if isinstance(value, Mapping) else {}


def _problem(waiver: Document, pointer: str, code: str, message: str) -> Problem:
    position = waiver.positions.get(pointer)
    return Problem(code, message, f"edit {waiver.path}", waiver.path, position)
