"""What one changed document amounts to, by its own leaves and by nothing else."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache

from agentpolicy.base.values import replace
from agentpolicy.documents.document import Document, DocumentKind, Value
from agentpolicy.documents.rows import Kind, Row
from agentpolicy.order import whole_rules as rules
from agentpolicy.order.change import DocumentChange, Effect, Finding, Operation, combine
from agentpolicy.order.compare import Strictness, compare
from agentpolicy.order.explain import UNREAD, why
from agentpolicy.order.values import same, shown
from agentpolicy.order.walk import LeafPair, Plan, leaf_pairs


def modified(old: Document, new: Document, plan: Plan) -> DocumentChange:
    """Compare two states of a document leaf by leaf; their bytes are known to differ."""
    pairs = tuple(leaf_pairs(plan, old.tree, new.tree))
    found = [
        finding for pair in pairs if not _untouched(pair) for finding in _finding(pair, old, new)
    ]
    found.extend(_about_the_whole(found, old, new))
    found.sort(key=lambda finding: finding.pointer)
    return _change(Operation.MODIFY, old, new, tuple(found), len(pairs))


def added(new: Document) -> DocumentChange:
    """Class a document that was not there: it is established, whatever it says."""
    rule = rules.WAIVER_ADDED if new.kind is DocumentKind.WAIVER else rules.ADDED
    return _change(Operation.ADD, None, new, (_whole(rule, None, new),))


def deleted(old: Document) -> DocumentChange:
    """Class a document that is gone, under its name at least."""
    return _change(Operation.DELETE, old, None, (_whole(rules.DELETED, old, None),))


def closed(old: Document, new: Document) -> DocumentChange:
    """Class a waiver that was moved, byte for byte, to where it no longer counts."""
    return _change(Operation.CLOSE, old, new, (_whole(rules.WAIVER_CLOSED, old, new),))


def ratified(document: Document) -> DocumentChange:
    """Class a document that is approved anew as it stands."""
    return _change(Operation.RATIFY, document, document, ())


def ratified_file(path: str, sha256: str) -> DocumentChange:
    """Class a guarded file that is approved anew as it stands."""
    neutral = combine(())
    return DocumentChange(path, Operation.RATIFY, neutral, None, None, sha256, sha256, ())


_NUMBERS = frozenset({int, Decimal})
_LEAVES = frozenset({str, bool, int, Decimal})
_PLACED: Mapping[Kind, frozenset[type]] = {
    Kind.MAX_LIMIT: _NUMBERS,
    Kind.MIN_LIMIT: _NUMBERS,
    Kind.RECORD: _LEAVES,
    Kind.VERSION: _LEAVES,
    Kind.OPAQUE: _LEAVES,
    Kind.ROOT: _LEAVES,
}
"""Of which types every value has a place in the order of a row."""
_SETS = frozenset({Kind.SUBSET_OF, Kind.SUPERSET_OF, Kind.ADDITIONS})
"""Of which every list of texts has a place in the order."""
_ROOT_REWRITTEN = "the trust root is pinned by its bytes, so any change of them is one of the root"


def _change(
    operation: Operation,
    old: Document | None,
    new: Document | None,
    findings: tuple[Finding, ...],
    fields: int = 0,
) -> DocumentChange:
    here = old or new
    assert here is not None
    return DocumentChange(
        path=here.path,
        operation=operation,
        change_class=combine(finding.effect for finding in findings),
        old=old,
        new=new,
        old_sha256=old.sha256 if old else None,
        new_sha256=new.sha256 if new else None,
        findings=findings,
        fields=fields,
    )


def _untouched(pair: LeafPair) -> bool:
    """Say whether a leaf is equal to the letter and its row reads it without fault.

    Most leaves of most changes are; every other is compared by its row.
    """
    row, new = pair.row, pair.new
    kind = new.__class__
    if row is None or pair.old.__class__ is not kind or pair.old != new:
        return False
    if pair.old_stand_in is not None or pair.new_stand_in is not None:
        return False
    if kind in _PLACED.get(row.kind, ()):
        return True
    if isinstance(new, str):
        return _reads(row, new)
    return isinstance(new, tuple) and row.kind in _SETS and all(map(_is_text, new))


@lru_cache(4096)
def _reads(row: Row, text: str) -> bool:
    """Say whether a row finds a text to be as strict as itself; few texts come again and again."""
    return compare(row, text, text) is Strictness.NEUTRAL


def _is_text(item: Value) -> bool:
    return item.__class__ is str


def _finding(pair: LeafPair, old: Document, new: Document) -> Iterator[Finding]:
    """Give the finding of one leaf, or none where it says the same as before."""
    row, (before, after) = pair.row, pair.resolved
    if row is None:
        effect, rule = rules.UNKNOWN_FIELD.effect, rules.UNKNOWN_FIELD.rule
        reason = rules.UNKNOWN_FIELD.why
    else:
        strictness = Strictness.NEUTRAL if pair.unread else compare(row, before, after)
        if strictness is Strictness.NEUTRAL and same(row, pair.old, pair.new):
            return
        effect, rule = _effect(row.kind, strictness), row.rule
        reason = UNREAD if pair.unread else why(row, before, after, strictness)
    old_location = None
    if pair.old is not None:
        old_location = old.positions.get(pair.old_pointer or pair.pointer)
    location = new.positions.get(pair.pointer) if pair.new is not None else None
    yield Finding(
        rule=rule,
        effect=effect,
        document=new.path,
        pointer=pair.pointer,
        old=shown(row, pair.old),
        new=shown(row, pair.new),
        location=location or old_location,
        old_location=old_location,
        why=reason,
        row=row,
    )


def _effect(kind: Kind, strictness: Strictness) -> Effect:
    """Derive a leaf's effect; only what cannot move a verdict keeps a name of its own."""
    if strictness is Strictness.NEUTRAL and kind in (Kind.RECORD, Kind.VERSION):
        return Effect.RECORD
    if strictness is not Strictness.NEUTRAL and kind is Kind.ROOT:
        return Effect.ROOT
    return Effect(strictness.value)


def _about_the_whole(found: list[Finding], old: Document, new: Document) -> Iterator[Finding]:
    """Say what the leaves cannot: that bytes changed without them, and where that matters."""
    if new.kind is DocumentKind.WAIVER:
        yield _whole(rules.WAIVER_EDITED, old, new)
    elif new.kind is DocumentKind.ROLES:
        if all(finding.effect is not Effect.ROOT for finding in found):
            yield _whole(replace(rules.REWRITTEN, why=_ROOT_REWRITTEN), old, new)
    elif not found:
        yield _whole(rules.REWRITTEN, old, new)


def _whole(rule: rules.WholeRule, old: Document | None, new: Document | None) -> Finding:
    """Write a finding about a whole document; in the trust root any of them is one of the root."""
    here = old or new
    assert here is not None
    old_location = old.positions.get("") if old else None
    return Finding(
        rule=rule.rule,
        effect=Effect.ROOT if here.kind is DocumentKind.ROLES else rule.effect,
        document=here.path,
        pointer="",
        old=old.sha256 if old else None,
        new=new.sha256 if new else None,
        location=(new.positions.get("") if new else None) or old_location,
        old_location=old_location,
        why=rule.why,
    )
