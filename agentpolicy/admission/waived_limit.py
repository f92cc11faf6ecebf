"""The limit in force that a waiver is held against, for each fixture it names."""

from collections.abc import Iterator, Mapping

from agentpolicy.documents.argument_rule import limit_text
from agentpolicy.documents.document import Document, Snapshot, Value
from agentpolicy.documents.violation import at

_ABSENT: Mapping[str, Value] = {"tool_order": "exact"}
"""What an absent field stands for where that is a limit (its order row says so too)."""
_TEXT = "text_similarity.threshold"
_ARGUMENTS = "arguments."


def limits_in_force(base: Snapshot, document: Document, waiver: Document) -> Iterator[Value | None]:
    """Give the limit that holds for each thing the waiver covers; None is no limit.

    Args:
        base: the policy in force, whose baseline says of which class a fixture is.
        document: the band or the budget the waiver is for.
        waiver: the waiver.
    """
    tree = document.tree
    if "scope" in waiver.tree:
        yield _aggregate_limit(tree, str(waiver.tree["metric"]), of_band="agent" in waiver.tree)
        return
    field = str(waiver.tree["field"])
    if field == _TEXT:
        classes = _classes(base.documents.get(f"policies/baselines/{document.name}.yaml"))
        for fixture in _fixtures(waiver):
            yield _text_limit(tree, classes.get(fixture))
    elif field.startswith(_ARGUMENTS):
        yield _argument_limit(tree, field.removeprefix(_ARGUMENTS))
    else:
        yield _field_limit(tree, field)


def _aggregate_limit(tree: Mapping[str, Value], metric: str, *, of_band: bool) -> Value | None:
    return _field_limit(tree, metric) if of_band else at(tree, f"/gate/aggregate/{metric}")


def _field_limit(tree: Mapping[str, Value], field: str) -> Value | None:
    written = at(tree, "/fields/" + field.replace(".", "/"))
    return _ABSENT.get(field) if written is None else written


def _text_limit(tree: Mapping[str, Value], fixture_class: str | None) -> Value | None:
    """Give the threshold of a class, or the general one."""
    classes = at(tree, "/fields/text_similarity/classes")
    own = classes.get(fixture_class or "") if isinstance(classes, Mapping) else None
    return at(tree, "/fields/text_similarity/threshold") if own is None else own


def _argument_limit(tree: Mapping[str, Value], name: str) -> Value:
    """Give the rule of `<tool>.<argument>`, both of which may hold dots; absent is exact."""
    rules = at(tree, "/fields/arguments")
    for tool, arguments in rules.items() if isinstance(rules, Mapping) else ():
        argument = name.removeprefix(f"{tool}.")
        if argument != name and isinstance(arguments, Mapping) and argument in arguments:
            return limit_text(arguments[argument])
    return limit_text("exact")


def _classes(baseline: Document | None) -> Mapping[str, str]:
    """Read from the baseline of which class each fixture is."""
    listed = baseline.tree.get("fixtures") if baseline else ()
    return {
        str(fixture["id"]): str(fixture["class"])
        for fixture in (listed if isinstance(listed, tuple) else ())
        if isinstance(fixture, Mapping) and "class" in fixture
    }


def _fixtures(waiver: Document) -> Iterator[str]:
    cases = waiver.tree["cases"]
    assert isinstance(cases, tuple)
    for case in cases:
        assert isinstance(case, Mapping)
        yield str(case["fixture_id"])
