"""The four answers of a check, worst first, and how they combine: by minimum, always."""

from collections.abc import Iterable
from enum import StrEnum

from agentpolicy.runs.truth import Truth


class Decision(StrEnum):
    """An answer. `pass` and `pass_with_waivers` are accepted, the other two are not."""

    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    PASS_WITH_WAIVERS = "pass_with_waivers"  # noqa: S105 - an answer, not a password
    PASS = "pass"  # noqa: S105 - an answer, not a password

    @property
    def rank(self) -> int:
        """The place on the chain fail < inconclusive < pass_with_waivers < pass."""
        return _CHAIN.index(self)

    @property
    def accepted(self) -> bool:
        """Whether a release with this answer may ship."""
        return self in {Decision.PASS, Decision.PASS_WITH_WAIVERS}

    @classmethod
    def of(cls, holds: Truth) -> "Decision":
        """Turn a three-valued answer into a decision."""
        if holds is None:
            return cls.INCONCLUSIVE
        return cls.PASS if holds else cls.FAIL


_CHAIN = tuple(Decision)


def worst(decisions: Iterable[Decision]) -> Decision:
    """Combine answers by minimum; no answers at all decide nothing."""
    return min(decisions, key=lambda decision: decision.rank, default=Decision.INCONCLUSIVE)
