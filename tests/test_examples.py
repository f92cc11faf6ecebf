"""Every golden pair is classed exactly as its `expected.json` says, and the way back mirrors it."""

import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from agentpolicy.documents.document import DocumentKind, Snapshot
from agentpolicy.documents.rows import Kind
from agentpolicy.loading.schemas import all_schemas, rows_of
from agentpolicy.order.change import Effect, Finding
from agentpolicy.order.classify import ChangeClass, classify

from tests.golden import Example, examples

ROOT = Path(__file__).parents[1]
EXAMPLES = examples()
each = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)

OWNERS = {"agent-owner", "proposer"}
"""The roles of whoever makes a change; every other one is somebody else."""
MIRROR = {Effect.TIGHTER: Effect.LOOSER, Effect.LOOSER: Effect.TIGHTER}
DIRECTED = {Kind.MAX_LIMIT, Kind.MIN_LIMIT, Kind.SUBSET_OF, Kind.SUPERSET_OF, Kind.CHAIN}
EITHER_WAY = {
    Kind.OPAQUE: {Effect.INCOMPARABLE},
    Kind.ROOT: {Effect.ROOT},
    Kind.RECORD: {Effect.RECORD},
    Kind.VERSION: {Effect.RECORD},
    Kind.ADDITIONS: {Effect.LOOSER, Effect.INCOMPARABLE},
}
"""What a change of a leaf does that has no direction."""
ONE_VALUE = {
    "budget/per-run": "the schema knows one value",
    "budget/waiver-approver": "the schema knows one value, which is the default",
    "waiver/id": "another id is another file",
    "waiver/scope": "the schema knows one value, and without it a waiver has other fields",
}
"""Rules of which no change can be written, and why."""


@each
def test_the_report_is_exactly_the_expected_one(example: Example) -> None:
    assert example.found == example.expected


@each
def test_admitted_is_what_nobody_but_the_owner_must_sign(example: Example) -> None:
    assert example.admitted is (set(example.approvals) <= OWNERS)


@each
def test_the_way_back_mirrors_every_leaf(example: Example) -> None:
    there = leaves(example.report.findings)
    back = leaves(example.exchanged.findings)
    assert sorted(map(exchanged, there)) == sorted(
        (found.rule, str(found.effect), str(found.old), str(found.new)) for found in back
    )


def leaves(findings: tuple[Finding, ...]) -> list[Finding]:
    """Pick what is about one leaf; what was accepted into a baseline has no way back."""
    return [one for one in findings if one.pointer and one.rule != "baseline/re-baselined"]


def exchanged(found: Finding) -> tuple[str, str, str, str]:
    effect = MIRROR.get(found.effect, found.effect)
    return found.rule, str(effect), str(found.new), str(found.old)


@each
def test_a_side_compared_with_itself_is_no_change(example: Example) -> None:
    for side in example.sides:
        report = classify(side, side, all_schemas())
        if not report.compared:
            continue
        assert report.change_class is ChangeClass.NEUTRAL
        assert not report.documents


@each
def test_findings_point_at_the_value_they_speak_of(example: Example) -> None:
    old, new = example.sides
    for found in leaves(example.report.findings):
        now, was = found.location, found.old_location
        assert (was is not None) is (found.old is not None), found
        assert now is not None, found
        if found.new is not None:
            assert written_at(new, found.document, now.line, now.column, found.new), found
        if found.old is not None:
            assert was is not None
            assert written_at(old, found.document, was.line, was.column, found.old), found


def written_at(side: Snapshot, path: str, line: int, column: int, value: str) -> bool:
    """Say whether a file holds a value, in whatever spelling, at a place."""
    text = side.documents[path].data.decode().splitlines()[line - 1][column - 1 :]
    if value[:1] in ("[", "{"):
        # In block style the first entry stands where the structure begins.
        return text[:1] in (value[0], "-") or text.partition(":")[0].strip('"') in value
    word = text.lstrip('"').split('"')[0].split(",")[0].split("}")[0].rstrip()
    return word == value or plain(word) == plain(value) is not None


def plain(text: str) -> Decimal | None:
    number = text.removesuffix("x").removeprefix("similar(").removesuffix(")")
    return Decimal(number) if number.replace(".", "").isdigit() else None


def test_there_are_many_of_both() -> None:
    admitted = sum(example.admitted for example in EXAMPLES)
    assert admitted >= 150
    assert len(EXAMPLES) - admitted >= 150


def test_every_rule_is_seen_in_every_way_it_can_go() -> None:
    seen: dict[str, set[Effect]] = defaultdict(set)
    for example in EXAMPLES:
        for found in example.report.findings:
            seen[found.rule].add(found.effect)
    lacking = {
        row.rule: sorted(wanted - seen[row.rule])
        for kind in DocumentKind
        for row in rows_of(kind).values()
        if row.rule not in ONE_VALUE
        for wanted in [
            {Effect.TIGHTER, Effect.LOOSER} if row.kind in DIRECTED else EITHER_WAY[row.kind]
        ]
        if not wanted <= seen[row.rule]
    }
    assert lacking == {}


def test_a_rule_said_to_have_one_value_never_changes() -> None:
    findings = [found for example in EXAMPLES for found in example.report.findings]
    changed = {found.rule for found in findings if found.effect is not Effect.NEUTRAL}
    assert not changed & ONE_VALUE.keys()


def test_every_rule_that_has_a_default_is_seen_with_it_written_out() -> None:
    shown = {
        found.rule
        for example in EXAMPLES
        for found in example.report.findings
        if found.effect is Effect.NEUTRAL
    }
    defaults = {
        row.rule
        for kind in DocumentKind
        for row in rows_of(kind).values()
        if row.absent is not None and row.rule not in {"budget/evaluators", "tools/effect"}
    }  # of these two the default cannot be written
    assert defaults <= shown


REPORTS = """\
import sys
from agentpolicy.report.diff_json import diff_json
from agentpolicy.report.diff_text import diff_text
from agentpolicy.report.diff_view import DiffView
from agentpolicy.workflows.advice import advice
from agentpolicy.workflows.witness import witnesses
from tests.golden import examples
for place, example in enumerate(examples()):
    report, (old, new) = example.report, example.sides
    found = witnesses(old, new, report) if place % int(sys.argv[1]) == 0 else {}
    view = DiffView(report, witnesses=found, advice=advice(new, report))
    print(example.name, diff_json(view), diff_text(view, explain=True), report.problems)
"""


def reports(seed: int, witness_every: int) -> bytes:
    """Write the reports of all pairs in a process whose sets and maps have another order."""
    environ = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", REPORTS, str(witness_every)]
    done = subprocess.run(command, capture_output=True, check=True, env=environ, cwd=ROOT)
    return done.stdout


def distinct_reports(seeds: int, witness_every: int) -> set[bytes]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return set(pool.map(lambda seed: reports(seed, witness_every), range(seeds)))


def test_reports_are_the_same_bytes_whatever_the_hash_seed() -> None:
    (every,) = distinct_reports(8, 10)
    assert every.count(b"\n") > len(EXAMPLES)
    assert every.count(b"witness: ") > 10


@pytest.mark.long
def test_reports_are_the_same_bytes_over_a_hundred_hash_seeds(
    record_property: Callable[[str, object], None],
) -> None:
    assert len(distinct_reports(100, 1)) == 1
    record_property("did", {"of": "reports of all golden pairs", "counts": {"hash seeds": 100}})
