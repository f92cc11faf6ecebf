"""What must hold between the fields of one document."""

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.loading.document import read_document
from tests.policy_repo import BAND, BUDGET

BAND_PATH, BUDGET_PATH = "policies/bands/a.yaml", "policies/budgets/b.yaml"
BASELINE_PATH, WAIVER_PATH = "policies/baselines/a.yaml", "policies/waivers/w1.yaml"
OLD, NEW = (f"sha256:{digit * 64}" for digit in "12")
BASELINE = f"""\
baseline_version: 1
runs: {OLD}
fixtures:
  - {{id: f1}}
  - {{id: f2}}
accepted:
  - {{fixture_id: f1, before: {OLD}, after: {NEW}, reason: cites its source}}
"""
COMMON = f"""\
id: w1
band: 1.4
verdict: {OLD}
reason: wanted
change_link: https://git.example.com/1
owner: alice
granted_on: 2026-03-01
expires_on: 2026-03-02
"""
CASES = "field: token_ratio.max\ncases: [{fixture_id: f1, measured: 1.6}]\n"
AGGREGATE = "scope: aggregate\nmeasured: 3.2\nsubject: sha256:abc\n"
AGENT, PAIR = "agent: a\n", "task_type: t\nvariant: v\n"
P50, P95_COST = "metric: latency_ms_p50.fail\n", "metric: p95_cost_usd\n"


def problems(path: str, text: str) -> list[str]:
    try:
        read_document(path, text.encode())
    except InputError as error:
        return [f"{problem.code}: {problem.message}" for problem in error.problems]
    return []


def broken(path: str, text: str, old: str, new: str) -> list[str]:
    assert problems(path, text) == []
    assert old in text
    return problems(path, text.replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("warn: 1.5x", "warn: 3.0x", "warn 3.0x is not below fail 3.0x"),
        ("warn: 1.5x", "warn: 10x", "warn 10x is not below fail 3.0x"),
        ("min: 0.7", "min: 1.40", "min 1.40 is not below max 1.4"),
        ("2026-03-02", "2026-02-30", "2026-02-30 is not a day of the calendar"),
        ("measured, ", "", "required_evidence lacks measured"),
        ("[fixture_id, field, ", "[", "required_evidence lacks fixture_id, field"),
    ],
)
def test_a_band_that_contradicts_itself_is_refused(old: str, new: str, message: str) -> None:
    assert broken(BAND_PATH, BAND, old, new) == [f"contradiction: {message}"]


GUARDED = BUDGET + "runtime_guard: {steps: 26, cost_usd: 1.51, tokens: 5, identical_calls: 3}\n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("soft: 12,", "soft: 25,", "soft 25 is not below hard 25"),
        ("soft: 0.60", "soft: 1.500", "soft 1.500 is not below hard 1.50"),
        (
            "steps: 26",
            "steps: 25",
            "budget.steps.hard 25 is not below runtime_guard.steps 25",
        ),
        (
            "cost_usd: 1.51",
            "cost_usd: 1.5",
            "budget.cost_usd.hard 1.50 is not below runtime_guard.cost_usd 1.5",
        ),
    ],
)
def test_a_budget_that_contradicts_itself_is_refused(old: str, new: str, message: str) -> None:
    assert broken(BUDGET_PATH, GUARDED, old, new) == [f"contradiction: {message}"]


def test_a_guard_on_what_has_no_hard_limit_is_free() -> None:
    text = BUDGET + "runtime_guard: {tokens: 0, identical_calls: 0}\n"
    assert problems(BUDGET_PATH, text) == []


def test_a_budget_asks_for_the_least_evidence_too() -> None:
    text = BUDGET + "waivers: {required_evidence: [reason]}\n"
    (problem,) = problems(BUDGET_PATH, text)
    assert "required_evidence lacks fixture_id, field, measured, band, change_link" in problem


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id: f2", "id: f1", "the fixture f1 stands there twice"),
        ("fixture_id: f1", "fixture_id: f3", "f3 is no fixture of this baseline"),
        (f"after: {NEW}", f"after: {OLD}", "before and after are the same text"),
    ],
)
def test_a_baseline_that_contradicts_itself_is_refused(old: str, new: str, message: str) -> None:
    assert broken(BASELINE_PATH, BASELINE, old, new) == [f"contradiction: {message}"]


def test_one_text_is_accepted_for_a_fixture_once() -> None:
    again = BASELINE.splitlines()[-1].replace("cites its source", "shorter")
    assert problems(BASELINE_PATH, f"{BASELINE}{again}\n") == [
        "contradiction: this text is accepted for f1 twice"
    ]
    elsewhere = again.replace("f1", "f2")
    assert problems(BASELINE_PATH, f"{BASELINE}{elsewhere}\n") == []


def test_a_baseline_without_fixtures_is_refused() -> None:
    text = f"baseline_version: 1\nruns: {OLD}\nfixtures: []\n"
    assert [line.split(":")[0] for line in problems(BASELINE_PATH, text)] == ["too-few"]


def test_a_reason_fits_on_one_line() -> None:
    text = BASELINE.replace("reason: cites its source", r'reason: "cites\nits source"')
    assert [line.split(":")[0] for line in problems(BASELINE_PATH, text)] == ["wrong-form"]


@pytest.mark.parametrize(
    "form", [AGENT + CASES, AGENT + AGGREGATE + P50, PAIR + AGGREGATE + P95_COST]
)
def test_a_waiver_is_of_fixtures_or_of_an_aggregate(form: str) -> None:
    assert problems(WAIVER_PATH, COMMON + form) == []


@pytest.mark.parametrize(
    ("form", "message"),
    [
        (CASES, "the waiver does not say whom it is for"),
        ("task_type: t\n" + AGGREGATE + P95_COST, "the waiver does not say whom it is for"),
        (AGENT + "variant: v\n" + CASES, "a waiver for an agent has no `variant`"),
        (PAIR + CASES, "of a budget only an aggregate can be waived"),
        (AGENT + CASES.splitlines()[0] + "\n", "a waiver of fixtures lacks the key `cases`"),
        (AGENT + CASES.splitlines()[1] + "\n", "a waiver of fixtures lacks the key `field`"),
        (AGENT + CASES + "subject: s\n", "a waiver of fixtures has no `subject`"),
        (AGENT + CASES + "measured: 2\n", "a waiver of fixtures has no `measured`"),
        (AGENT + AGGREGATE, "a waiver of an aggregate lacks the key `metric`"),
        (
            AGENT + P50 + "scope: aggregate\nmeasured: 2\n",
            "a waiver of an aggregate lacks the key `subject`",
        ),
        (
            AGENT + AGGREGATE + P50 + "field: facts\n",
            "a waiver of an aggregate has no `field`",
        ),
        (AGENT + AGGREGATE + P95_COST, "p95_cost_usd is a limit of a budget"),
        (PAIR + AGGREGATE + P50, "latency_ms_p50.fail is a limit of a band"),
    ],
)
def test_a_waiver_of_no_clear_thing_is_refused(form: str, message: str) -> None:
    assert f"contradiction: {message}" in problems(WAIVER_PATH, COMMON + form)


def test_a_waiver_does_not_end_before_it_begins() -> None:
    (problem,) = broken(WAIVER_PATH, COMMON + AGENT + CASES, "2026-03-02", "2026-02-28")
    assert "granted_on 2026-03-01 is after expires_on 2026-02-28" in problem
