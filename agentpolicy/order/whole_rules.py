"""The rules about whole documents, where no single leaf says what a change does."""

from agentpolicy.base.values import dataclass
from agentpolicy.order.change import Effect


@dataclass(frozen=True, slots=True)
class WholeRule:
    """One rule about a whole document. Its id is stable and never reused, as a leaf's is."""

    rule: str
    effect: Effect
    """In the trust root every effect weighs as a change of the root."""
    when: str
    """What must have happened for it to speak."""
    why: str
    """One sentence that gives the direction in words."""


ADDED = WholeRule(
    "document/added",
    Effect.LOOSER,
    "A document is there that was not.",
    "nothing was judged by it before; what it accepts is accepted from now on",
)
DELETED = WholeRule(
    "document/deleted",
    Effect.LOOSER,
    "A document is gone. A renamed one is gone and added.",
    "what it refused is refused no longer",
)
REWRITTEN = WholeRule(
    "document/rewritten",
    Effect.NEUTRAL,
    "The bytes of a document changed, and none of its leaves did.",
    "the text changed, and no rule did: comments, order or spelling",
)
UNREADABLE = WholeRule(
    "document/unreadable",
    Effect.UNKNOWN,
    "A document cannot be read on one of the sides.",
    "one side cannot be read, so nobody can say what changed",
)
UNKNOWN_FIELD = WholeRule(
    "document/unknown-field",
    Effect.UNKNOWN,
    "A document has a field that this version has no rule for.",
    "this version knows no rule for it, so nobody can say what it does",
)
WAIVER_ADDED = WholeRule(
    "waiver/added",
    Effect.LOOSER,
    "A waiver is there that was not.",
    "what it covers failed, and can pass until its last day",
)
WAIVER_CLOSED = WholeRule(
    "waiver/closed",
    Effect.TIGHTER,
    "A waiver was moved, byte for byte, to `waivers/closed/<year>/`.",
    "it covers nothing any more",
)
WAIVER_EDITED = WholeRule(
    "waiver/edited",
    Effect.INCOMPARABLE,
    "The bytes of a waiver changed.",
    "a waiver is never edited: what it covered was approved as it stood",
)
GUARDED = WholeRule(
    "guarded/changed",
    Effect.ROOT,
    "A file that roles.yaml lists under `guarded` changed, came or went.",
    "the trust root guards this file: whoever changes it can change what is enforced",
)
WHOLE_RULES = (
    ADDED, DELETED, REWRITTEN, UNREADABLE, UNKNOWN_FIELD,
    WAIVER_ADDED, WAIVER_CLOSED, WAIVER_EDITED, GUARDED,
)  # fmt: skip
"""All of them, in the order of the catalogue."""
