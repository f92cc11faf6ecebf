"""The rule catalogue as Markdown pages: one a kind of document, one rule a section."""

import json
from collections.abc import Mapping, Sequence
from itertools import groupby

from agentpolicy.report.rules_catalogue import WHOLE, Rule
from agentpolicy.report.rules_words import facts

_NOTE = "<!-- Written by `make schemas` from the order rows; edits here are lost. -->"
_TITLES: Mapping[str, str] = {
    "band": "Tolerance band",
    "budget": "Run budget",
    "baseline": "Baseline",
    "tools": "Tool catalogue",
    "waiver": "Waiver",
    "roles": "Trust root",
    WHOLE: "Whole documents",
}


def rule_pages(rules: Sequence[Rule]) -> dict[str, str]:
    """Give the name and text of every page: an index, and one a kind of document."""
    pages = {
        document: tuple(group) for document, group in groupby(rules, key=lambda rule: rule.document)
    }
    return {
        "README.md": _index(pages),
        **{f"{document}.md": _page(document, group) for document, group in pages.items()},
    }


def anchor(rule_id: str) -> str:
    """Give the anchor that a heading of a rule's id has."""
    return rule_id.replace("/", "")


def _index(pages: Mapping[str, Sequence[Rule]]) -> str:
    lines = [
        _NOTE,
        "",
        "# Rules",
        "",
        "Every leaf of every policy document has one rule, which says which way of changing it",
        "tightens. `agentpolicy rules explain ID` shows the same at the terminal.",
    ]
    for document, rules in pages.items():
        lines += ["", f"## [{_TITLES[document]}]({document}.md)", ""]
        lines += ["| rule | stands at | decides |", "|---|---|---|"]
        for rule in rules:
            link = f"[{rule.id}]({document}.md#{anchor(rule.id)})"
            places = " ".join(f"`{pointer}`" for pointer in rule.pointers)
            lines.append(f"| {link} | {places} | {rule.why} |")
    return "\n".join(lines) + "\n"


def _page(document: str, rules: Sequence[Rule]) -> str:
    lines = [_NOTE, "", f"# {_TITLES[document]}"]
    if rules[0].place:
        lines += ["", f"`{rules[0].place}`"]
    for rule in rules:
        lines += ["", f"## {rule.id}", "", rule.why, ""]
        lines += [f"* {label}: {_marked(label, words)}" for label, words in facts(rule)]
        lines += _example(rule)
    return "\n".join(lines) + "\n"


def _marked(label: str, words: str) -> str:
    """Set what is to be read letter by letter as code."""
    return f"`{words}`" if label in {"stands at", "kind"} else words


def _example(rule: Rule) -> list[str]:
    if not rule.examples or not rule.pointers:
        return []
    key = next(part for part in reversed(rule.pointers[0].split("/")) if part != "*")
    texts = [json.dumps(example, ensure_ascii=False) for example in rule.examples]
    return ["", "```yaml", *(f"{key}: {text}" for text in texts), "```"]
