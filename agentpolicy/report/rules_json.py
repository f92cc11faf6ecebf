"""The rule catalogue as JSON."""

from collections.abc import Sequence

from agentpolicy.report.rules_catalogue import Rule


def rules_json(rules: Sequence[Rule]) -> dict[str, object]:
    """Write rules as `rules --format json` prints them."""
    return {"format_version": 1, "rules": [rule_json(rule) for rule in rules]}


def rule_json(rule: Rule) -> dict[str, object]:
    """Write one rule; what does not apply is null or empty."""
    return {
        "id": rule.id,
        "document": rule.document,
        "place": rule.place or None,
        "pointers": list(rule.pointers),
        "kind": rule.kind,
        "levels": list(rule.levels),
        "why": rule.why,
        "tighter_when": rule.tighter,
        "looser_when": rule.looser,
        "otherwise": rule.otherwise,
        "because": rule.because or None,
        "absent": rule.absent,
        "required": rule.required,
        "read_by": rule.reader,
        "approvals": {str(effect): list(who) for effect, who in rule.signatures.items()},
        "part_of": rule.part_of or None,
        "source": rule.source or None,
        "examples": list(rule.examples),
    }
