"""The rule catalogue for people at a terminal: a list of all, or all of one."""

import json
from collections.abc import Sequence
from itertools import groupby

from agentpolicy.report.rules_catalogue import Rule
from agentpolicy.report.rules_words import facts


def rules_text(rules: Sequence[Rule]) -> str:
    """List rules by document, a line each: id, place, and when it tightens."""
    lines = []
    width = max((len(rule.id) for rule in rules), default=0)
    for document, group in groupby(rules, key=lambda rule: (rule.document, rule.place)):
        lines += ["", " ".join(part for part in document if part)]
        for rule in group:
            place = ", ".join(rule.pointers)
            direction = f"tighter when {rule.tighter}" if rule.tighter else _undirected(rule)
            lines.append(f"  {rule.id:{width}}  {' — '.join(filter(None, (place, direction)))}")
    return "\n".join([*lines[1:], "", "one of them: agentpolicy rules explain ID"]) + "\n"


def _undirected(rule: Rule) -> str:
    """Say in a line what a rule without a tightening does."""
    if rule.because:
        return f"{', '.join(rule.signatures)}: {rule.why}"
    return rule.otherwise or ""


def rule_text(rule: Rule) -> str:
    """Write all there is to know about one rule."""
    pairs = list(facts(rule))
    if rule.examples:
        shown = (json.dumps(example, ensure_ascii=False) for example in rule.examples)
        pairs.append(("example", " or ".join(shown)))
    width = max(len(label) for label, _ in pairs)
    lines = [f"{rule.id}: {rule.why}", ""]
    lines += [f"  {label:{width}}  {words.replace('`', '')}" for label, words in pairs]
    return "\n".join(lines) + "\n"
