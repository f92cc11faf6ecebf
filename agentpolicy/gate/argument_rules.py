"""Which rule an argument is under, when two values are inside it, and which rule is stricter."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from agentpolicy.base.numbers import exact, plain
from agentpolicy.documents.models.arguments import ArgumentRule
from agentpolicy.documents.models.band import BandFields
from agentpolicy.gate.catalogue import Catalogue
from agentpolicy.runs.deltas import similarity
from agentpolicy.runs.evidence import Truth, any_of
from agentpolicy.runs.normalisation import same_exactly, same_normalised

_LEVELS = ("exact", "normalised", "similar", "ignored")
"""Strict first."""
_WITHIN = " within "


@dataclass(frozen=True, slots=True)
class Rule:
    """One argument's rule as it is judged. The tolerance stands under every level but exact."""

    level: str
    threshold: Decimal = Decimal(1)
    """The least score that `similar` accepts."""
    tolerance: Decimal = Decimal(0)

    @property
    def text(self) -> str:
        """Write the rule as a finding and a waiver do."""
        name = f"similar({plain(self.threshold)})" if self.level == "similar" else self.level
        spread = self.tolerance and self.level not in {"exact", "ignored"}
        return f"{name}{_WITHIN}{plain(self.tolerance)}" if spread else name

    def inside(self, value: object, reference: object) -> Truth:
        """Say whether a value is inside; what one level takes in, every looser one does too."""
        if self.level == "ignored":
            return True
        if self.level == "exact":
            return same_exactly(value, reference)
        same = same_normalised(value, reference, self.tolerance)
        if self.level != "similar" or not isinstance(value, str) or not isinstance(reference, str):
            return same
        if same is None:
            return None
        return any_of((same, similarity(value, reference) >= self.threshold))

    def no_stricter_than(self, other: "Rule") -> bool:
        """Say whether everything inside another rule is inside this one."""
        if self.level == "ignored" or self == other:
            return True
        if other.level == "exact":
            return True
        return (
            _LEVELS.index(self.level) >= _LEVELS.index(other.level)
            and (self.level != other.level or self.threshold <= other.threshold)
            and self.tolerance >= other.tolerance
        )


EXACT = Rule("exact")
"""The rule of an argument that the band does not name."""
IGNORED = Rule("ignored")


def parse_rule(text: str) -> Rule | None:
    """Read a rule as `Rule.text` writes it; None for anything else."""
    name, within, tolerance = text.partition(_WITHIN)
    try:
        written = ArgumentRule(rule=name, tolerance=exact(tolerance) if within else None)
    except ValueError:
        return None
    return _judged(written)


def _judged(written: ArgumentRule) -> Rule:
    """Bring a rule as the band writes it to what is judged."""
    if written.level in {"exact", "ignored"}:
        return Rule(written.level)
    threshold = Decimal(1) if written.threshold is None else written.threshold
    return Rule(written.level, threshold, written.tolerance or Decimal(0))


@dataclass(frozen=True, slots=True)
class Rules:
    """All rules of a band, under the catalogue that says which arguments are identities."""

    written: Mapping[str, Mapping[str, Rule]]
    catalogue: Catalogue

    def of(self, tool: str, name: str) -> Rule:
        """Give the rule of one argument; an identity is exact, whatever the band says."""
        if name in self.catalogue.identity_args(tool):
            return EXACT
        return self.written.get(tool, {}).get(name, EXACT)

    def all_exact(self, tool: str) -> bool:
        """Say whether no argument of a tool may differ at all."""
        names = self.written.get(tool, {})
        return all(self.of(tool, name).level == "exact" for name in names)


def rules_of(fields: BandFields, catalogue: Catalogue) -> Rules:
    """Read the rules out of a band."""
    written = {
        tool: {name: _judged(rule) for name, rule in names.items()}
        for tool, names in (fields.arguments or {}).items()
    }
    return Rules(written, catalogue)
