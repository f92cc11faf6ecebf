"""Every rule there is, derived from the order rows: what it decides, and who may loosen it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from agentpolicy.documents.document import DocumentKind
from agentpolicy.documents.row_words import (
    READERS,
    absence_means,
    loosens_when,
    tightens_when,
    undirected,
)
from agentpolicy.documents.rows import X_ORDER, X_SHORTHAND, Kind, Reader, Row
from agentpolicy.order.change import Effect
from agentpolicy.order.classify import Schemas
from agentpolicy.order.whole_rules import (
    GUARDED,
    WAIVER_ADDED,
    WAIVER_EDITED,
    WHOLE_RULES,
    WholeRule,
)
from agentpolicy.trust.approval import ApprovalRole

PLACES: Mapping[DocumentKind, str] = {
    DocumentKind.BAND: "policies/bands/<agent>.yaml",
    DocumentKind.BUDGET: "policies/budgets/<name>.yaml",
    DocumentKind.BASELINE: "policies/baselines/<agent>.yaml",
    DocumentKind.TOOLS: "policies/tools.yaml",
    DocumentKind.WAIVER: "policies/waivers/<id>.yaml",
    DocumentKind.ROLES: "policies/roles.yaml",
}
"""Where each kind of document lies, in the order of the catalogue."""
WHOLE = "change"
"""Where the rules stand that are about whole documents of any kind."""

APPROVER = "approver"
"""Stands for the role that the band names for its waivers; a budget's has the platform owner."""
Signatures = Mapping[Effect, tuple[str, ...]]

_OWNER = (str(ApprovalRole.AGENT_OWNER),)
_BOTH_OWNERS = (str(ApprovalRole.AGENT_OWNER), str(ApprovalRole.PLATFORM_OWNER))
_PLATFORM = (str(ApprovalRole.PROPOSER), str(ApprovalRole.PLATFORM_OWNER))
_REVIEWER = (str(ApprovalRole.PROPOSER), str(ApprovalRole.REVIEWER))
_WAIVER = (str(ApprovalRole.PROPOSER), APPROVER)
_ORDERED = (Effect.NEUTRAL, Effect.TIGHTER, Effect.LOOSER)
_EFFECTS: Mapping[Kind, tuple[Effect, ...]] = {
    Kind.MAX_LIMIT: _ORDERED,
    Kind.MIN_LIMIT: _ORDERED,
    Kind.CHAIN: _ORDERED,
    Kind.SUBSET_OF: (*_ORDERED, Effect.INCOMPARABLE),
    Kind.SUPERSET_OF: (*_ORDERED, Effect.INCOMPARABLE),
    Kind.ADDITIONS: (Effect.NEUTRAL, Effect.LOOSER, Effect.INCOMPARABLE),
    Kind.OPAQUE: (Effect.NEUTRAL, Effect.INCOMPARABLE),
    Kind.RECORD: (Effect.RECORD,),
    Kind.VERSION: (Effect.RECORD,),
    Kind.ROOT: (Effect.ROOT,),
}
"""What a change of a leaf of each kind can amount to."""
_FREE = (Effect.NEUTRAL, Effect.TIGHTER, Effect.RECORD)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule as the catalogue shows it."""

    id: str
    document: str
    """The kind of document it is about, or `change`."""
    place: str
    """Where such a document lies; empty for rules about any document."""
    pointers: tuple[str, ...]
    """Where the leaf stands, `*` for a name or an index; none for whole documents."""
    kind: str
    why: str
    """What it decides, or when it speaks."""
    tighter: str | None
    looser: str | None
    otherwise: str | None
    """What holds of changes that go neither way."""
    absent: str | None
    required: bool
    """Whether it must be written where the object it stands in is."""
    reader: str
    signatures: Signatures
    """Who must sign a change that amounts to no more than this, by what it amounts to."""
    source: str
    examples: tuple[object, ...] = ()
    levels: tuple[str, ...] = ()
    """Of a chain: its levels, strict first."""
    because: str = ""
    """Of a rule about whole documents: why it goes the way it goes."""
    part_of: str = ""
    """The rule whose finding shows a change of it: such a leaf is compared as a whole."""


def catalogue(schemas: Schemas) -> tuple[Rule, ...]:
    """List every rule once: by document and place, then those about whole documents."""
    found: dict[str, Rule] = {}
    for kind in PLACES:
        for rule in _leaves(kind, schemas[kind], "", required=False):
            known = found.get(rule.id)
            if known is not None:
                rule = replace(known, pointers=(*known.pointers, *rule.pointers))  # noqa: PLW2901
            found[rule.id] = rule
    return (*found.values(), *map(_whole, WHOLE_RULES))


def _leaves(
    kind: DocumentKind,
    schema: Mapping[str, object],
    pointer: str,
    *,
    required: bool,
    part_of: str = "",
) -> Iterator[Rule]:
    """Walk a schema to its rows, and further into those leaves that have parts."""
    written = schema.get(X_ORDER)
    if isinstance(written, Mapping):
        row = Row.from_json(written)
        yield _leaf(kind, schema, row, pointer, required=required, part_of=part_of)
        part_of = part_of or row.rule
    needed = schema.get("required", ())
    short = schema.get(X_SHORTHAND)
    properties = schema.get("properties")
    for key, below in properties.items() if isinstance(properties, Mapping) else ():
        must = isinstance(needed, (list, tuple)) and key in needed
        yield from _leaves(kind, below, f"{pointer}/{key}", required=must, part_of=part_of)
    for keyword in ("additionalProperties", "items"):
        if isinstance(below := schema.get(keyword), Mapping):
            yield from _leaves(kind, below, f"{pointer}/*", required=False, part_of=part_of)
    choices = schema.get("anyOf")
    for choice in choices if isinstance(choices, (list, tuple)) else ():
        for rule in _leaves(kind, choice, pointer, required=required, part_of=part_of):
            shortened = tuple(at.removesuffix(f"/{short}") for at in rule.pointers)
            yield replace(rule, pointers=shortened) if short else rule


def _leaf(
    kind: DocumentKind,
    schema: Mapping[str, object],
    row: Row,
    pointer: str,
    *,
    required: bool,
    part_of: str,
) -> Rule:
    examples = schema.get("examples", ())
    assert isinstance(examples, (list, tuple))
    return Rule(
        id=row.rule,
        document=str(kind),
        place=PLACES[kind],
        pointers=(pointer,),
        kind=str(row.kind),
        why=row.why,
        tighter=tightens_when(row),
        looser=loosens_when(row),
        otherwise=undirected(row),
        absent=absence_means(row),
        required=required,
        reader=READERS[row.reader],
        signatures={effect: _signers(kind, row, effect) for effect in _EFFECTS[row.kind]},
        source=row.source,
        examples=tuple(examples),
        levels=tuple(level.replace("()", "(share)") for level in row.chain),
        part_of=part_of,
    )


def _signers(kind: DocumentKind, row: Row, effect: Effect) -> tuple[str, ...]:
    """Say who signs a change of one leaf alone; admission decides it of whole documents."""
    if kind is DocumentKind.WAIVER:
        return _WAIVER
    if kind in (DocumentKind.TOOLS, DocumentKind.ROLES):
        return _PLATFORM
    if row.kind is Kind.ADDITIONS and effect is Effect.LOOSER:
        return _REVIEWER
    return _OWNER if effect in _FREE else _BOTH_OWNERS


def _whole(rule: WholeRule) -> Rule:
    """Show a rule about a whole document as it is for a band, a waiver or a guarded file."""
    signers = _OWNER if rule.effect in _FREE else _BOTH_OWNERS
    if rule is GUARDED:
        signers = _PLATFORM
    elif rule in (WAIVER_ADDED, WAIVER_EDITED):
        signers = _WAIVER
    return Rule(
        id=rule.rule,
        document=WHOLE,
        place="",
        pointers=(),
        kind="whole",
        why=rule.when,
        tighter=None,
        looser=None,
        otherwise=None,
        absent=None,
        required=False,
        reader=READERS[Reader.ADMISSION],
        signatures={rule.effect: signers},
        source="",
        because=rule.why,
    )
