"""Every public report of a checker that said yes too often has a case of ours.

The table names the report, what went wrong there, and where the same is kept from going wrong
here: golden pairs, or the tests of what no pair of files can show.
"""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.golden import EXAMPLES, Example

ROOT = Path(__file__).parent
WAIVERS = "unit/gate/test_waivers.py"
UNREADABLE = "refused/document-unreadable"
REPORTS: Mapping[str, Sequence[str]] = {
    "oasdiff#1118: something required is removed, and it is rated as a remark": (
        "refused/band-required-keys/one-key-less",
        "test_examples.py::test_the_way_back_mirrors_every_leaf",
    ),
    "oasdiff#1157: one limit has a rule, and the one beside it has none": (
        "refused/budget-cost-hard/raised",
        "refused/budget-tokens-hard/raised",
        "unit/order/test_every_edit.py::test_the_table_has_every_edit_of_every_leaf",
    ),
    "oasdiff#549: a field with a default is added, as if a default made it harmless": (
        "refused/band-argument-rule/similar-added",
        "refused/band-grade-text/warn-added",
        "admitted/band-tool-order/default-written-out",
        "laws/test_rows.py::test_another_meaning_of_absence_is_found_out",
    ),
    "oasdiff#228: an exception for one name also covers what begins with it": (
        f"{WAIVERS}::test_a_waiver_of_a_fixture_covers_none_that_begins_like_it",
    ),
    "buf#1066: a new value of a closed set goes unnoticed": (
        "refused/tools-effect/unknown-tool-listed-as-read",
        f"{UNREADABLE}/a-wildcard-among-the-effects",
    ),
    "go#67051: changes between two exports of the same data": (
        "admitted/document-rewritten/written-anew-by-a-program",
    ),
    "rust-libp2p#3213: the same thing under another name": (
        "refused/document-added/a-band-under-another-name",
    ),
    "release-plz#3018: a checker that crashed, or is too old, is taken for a yes": (
        f"{UNREADABLE}/a-field-of-a-later-version",
        "unit/gitio/test_stubs.py::test_every_answer_but_yes_blocks",
        "unit/gitio/test_stubs.py::test_a_missing_program_blocks_with_a_sentence",
    ),
    "cargo-semver-checks#148: another type passes every check": (
        f"{UNREADABLE}/a-number-in-quotes",
        "refused/band-text-scorer/another-scorer",
    ),
    "cargo-semver-checks#629: what comes from elsewhere is not seen": (
        f"{UNREADABLE}/an-include-of-another-file",
        "unit/gitio/test_stubs.py::test_a_submodule_that_asks_to_be_ignored_is_judged",
    ),
    "kyverno#17473: an expired exception still counts in another part of the program": (
        f"{WAIVERS}::test_a_waiver_is_active_from_its_first_second_through_its_last_day",
        "test_public_reports.py::test_the_end_of_a_waiver_is_asked_in_one_way",
    ),
    "kyverno#17367: a restriction that holds for one version of the schema only": (
        f"{UNREADABLE}/a-field-of-a-later-version",
    ),
    "conftest#181: a misspelt selector matches nothing, and nothing is success": (
        f"{UNREADABLE}/a-selector-misspelt-in-a-waiver",
        f"{UNREADABLE}/a-misspelt-field",
        "unit/gate/test_budget.py::test_a_budget_that_no_run_falls_under_decides_nothing",
    ),
    "panurus#2365: rules that nobody calls": (
        "acceptance/test_doctor.py::test_without_hooks_the_canary_is_said_to_meet_nothing",
    ),
    "buf#982: a finding that points to another line": (
        "test_examples.py::test_findings_point_at_the_value_they_speak_of",
    ),
    "rust-mssql-driver#202: an answer that depends on what is installed today": (
        "refused/band-text-scorer/another-version-of-it",
    ),
    "oasdiff#639: what looks like less is more strict, and the other way round": (
        "admitted/budget-steps-soft/lowered",
        "admitted/budget-pass-rate-min/raised",
        "admitted/mixed/lower-and-higher-that-both-tighten",
    ),
}
PLACES = [(report, place) for report, places in REPORTS.items() for place in places]


@cache
def promises_of(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize(("report", "place"), PLACES, ids=[place for _, place in PLACES])
def test_a_report_has_its_case(report: str, place: str) -> None:
    path, _, name = place.partition("::")
    if name:
        assert name in promises_of(path), report
        return
    example = Example(place)
    assert (EXAMPLES / place / "expected.json").is_file(), report
    assert example.found == example.expected


def test_the_end_of_a_waiver_is_asked_in_one_way() -> None:
    """One function turns the last day into an instant; the gate and admission both ask it."""
    package = ROOT.parent / "agentpolicy"
    readers = {
        path.relative_to(package).as_posix()
        for path in package.rglob("*.py")
        if "end_of(" in path.read_text(encoding="utf-8")
    }
    assert readers == {"admission/waivers.py", "base/instant.py", "gate/waivers.py"}
