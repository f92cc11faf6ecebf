"""Advice is true, names the place, and never blocks."""

import pytest
from agentpolicy.base.errors import Problem
from agentpolicy.documents.document import Snapshot
from agentpolicy.loading.schemas import all_schemas
from agentpolicy.loading.snapshot import PolicyFile, read_snapshot
from agentpolicy.order.classify import classify
from agentpolicy.workflows.advice import advice
from agentpolicy.workflows.advice_runs import looks_like_a_waiver
from tests.admission_world import FIRST, NOW, World, approval
from tests.evidence import run, run_set
from tests.policy_repo import BAND_PATH

BUDGET = """\
task_type: meeting
variant: default
budget:
  {limits}
  allowed_effects: {allowed}
{more}gate:
  per_run: hard breach fails the run
  {gate}
"""
READ = "{effect: read}"


def side(**files: str) -> Snapshot:
    """Read files by their names, `__` standing for a slash."""
    return read_snapshot(
        PolicyFile(f"policies/{name.replace('__', '/')}.yaml", "100644", text.encode())
        for name, text in files.items()
    )


def given(new: Snapshot, old: Snapshot | None = None) -> list[Problem]:
    assert not new.unreadable, new.unreadable
    return list(advice(new, classify(old or Snapshot(), new, all_schemas())))


def budget(
    limits: str = "steps: {hard: 9}", allowed: str = "[]", gate: str = "", more: str = ""
) -> str:
    rates = gate or "aggregate: {amber_rate_max: 0.1, pass_rate_min: 0.9}"
    return BUDGET.format(limits=limits, allowed=allowed, gate=rates, more=more)


def messages(**files: str) -> list[str]:
    return [problem.message for problem in given(side(**files))]


@pytest.mark.parametrize("rate", ["pass_rate_min: 1", "pass_rate_min: 1.0", "amber_rate_max: 0.0"])
def test_a_bound_on_all_or_on_none_can_never_be_kept(rate: str) -> None:
    rates = {"pass_rate_min": "pass_rate_min: 0.9", "amber_rate_max": "amber_rate_max: 0.1"}
    rates[rate.partition(":")[0]] = rate
    aggregate = f"aggregate: {{{', '.join(rates.values())}}}"
    (said,) = messages(budgets__t=budget(gate=f"{aggregate}\n  decision: bound"))
    assert said.startswith("nothing can pass: no number of runs proves")
    assert messages(budgets__t=budget(gate=f"{aggregate}\n  decision: point")) == []


def test_a_budget_that_believes_nobody_can_never_be_kept() -> None:
    assert messages(budgets__t=budget(more="evaluators: []\n")) == [
        "nothing can pass: nobody's word on whether a run is correct counts"
    ]
    assert messages(budgets__t=budget(more='evaluators: ["judge@1"]\n')) == []


@pytest.mark.parametrize(
    ("limit", "rates", "lacking"),
    [
        ("soft: 9", "pass_rate_min: 0.9", "amber_rate_max"),
        ("hard: 9", "amber_rate_max: 0.1", "pass_rate_min"),
    ],
)
def test_a_limit_without_its_rate_decides_nothing(limit: str, rates: str, lacking: str) -> None:
    side_of = limit.partition(":")[0]
    assert messages(
        budgets__t=budget(limits=f"steps: {{{limit}}}", gate=f"aggregate: {{{rates}}}")
    ) == [f"steps.{side_of} decides nothing: gate.aggregate.{lacking} is not set"]


def test_an_allowed_effect_needs_its_prerequisite_allowed_too() -> None:
    tools = "tools_version: 1\ntools:\n  mail.reply: {effect: write, requires: [cal.create]}\n"
    wanted = "mail.reply is allowed, but cal.create, which it requires, is not"
    assert messages(tools=tools, budgets__t=budget(allowed="[mail.reply]")) == [wanted]
    assert messages(tools=tools, budgets__t=budget(allowed="[mail.reply, cal.create]")) == []
    assert (
        messages(tools=tools + f"  cal.create: {READ}\n", budgets__t=budget(allowed="[mail.reply]"))
        == []
    )


def test_a_tool_that_must_come_before_itself_can_never_be_called_rightly() -> None:
    circle = (
        "tools_version: 1\ntools:\n"
        "  a: {effect: read, requires: [b]}\n  b: {effect: read, requires: [a]}\n"
    )
    assert messages(tools=circle) == [
        "no run can call a rightly: it must come before itself",
        "no run can call b rightly: it must come before itself",
    ]


@pytest.mark.parametrize(
    "fields",
    [
        "latency_ms_p50: {fail: 0x}",
        "latency_ms_p95: 0.0x",
        "token_ratio: {max: 0}",
        "tool_calls_ratio: 0",
    ],
)
def test_nothing_is_at_most_zero_times_its_baseline(fields: str) -> None:
    (said,) = messages(bands__a=f"band_version: 1\nfields: {{{fields}}}\n")
    assert said.startswith("nothing can pass: ")
    assert said.endswith(" is 0 times the baseline")


def test_content_that_must_and_must_not_be_there_is_a_contradiction() -> None:
    band = (
        "band_version: 1\nfields:\n  required_content:\n"
        "    all: [{{absent: {absent}}}]\n    x: [{{contains: Money back}}]\n"
    )
    (said,) = messages(bands__a=band.format(absent="money"))
    assert said.startswith("nothing of class x can pass")
    assert messages(bands__a=band.format(absent="guarantee")) == []


def test_only_what_changed_is_looked_at() -> None:
    vacuous = side(budgets__t=budget(more="evaluators: []\n"))
    assert given(vacuous, vacuous) == []


# What a band says of its approval


def test_a_band_that_names_another_approver_or_day_is_told() -> None:
    edited = FIRST.edit(BAND_PATH, ("band_version: 1", "band_version: 2"), ("0.92", "0.93"))
    signed = edited.approved(approval(FIRST, edited, "alice", "agent-owner", BAND_PATH))
    these = "the approvals of these bytes are"
    said = [one.message for one in given(signed.snapshot, FIRST.snapshot)]
    assert said == [
        f"approved_by says platform-owner, but {these} by agent-owner, alice",
        f"approved_on says 2026-03-02, but {these} of 2026-03-10",
    ]


def test_a_band_that_tells_the_truth_or_has_no_approval_yet_is_left_alone() -> None:
    edited = FIRST.edit(
        BAND_PATH,
        ("band_version: 1", "band_version: 2"),
        ("approved_by: platform-owner", "approved_by: alice"),
        ("2026-03-02", "2026-03-10"),
    )
    assert given(edited.snapshot, FIRST.snapshot) == []
    signed = edited.approved(approval(FIRST, edited, "alice", "agent-owner", BAND_PATH, at=NOW))
    assert given(signed.snapshot, FIRST.snapshot) == []


def test_an_approval_of_other_bytes_says_nothing_of_these() -> None:
    edited = FIRST.edit(BAND_PATH, ("band_version: 1", "band_version: 2"), ("0.92", "0.93"))
    again = edited.edit(BAND_PATH, ("0.93", "0.94"))
    stale = World(again.files).approved(approval(FIRST, edited, "alice", "agent-owner", BAND_PATH))
    assert given(stale.snapshot, FIRST.snapshot) == []


# The noise floor

NOISY = """\
band_version: 1
fields:
  text_similarity: {{threshold: {text}, classes: {{formatting: {text}}}}}
  tool_order: {order}
  token_ratio: {{min: {least}, max: {most}}}
  latency_ms_p50: {{fail: {latency}x}}
noise_floor:
  fields:
    text_similarity.threshold: 0.88
    tool_order.exact: 0.1
    tool_order.any: 0
    token_ratio.min: 0.8
    token_ratio.max: 1.3
    latency_ms_p50.fail: 1.2
"""
AT_THE_FLOOR = {"text": "0.88", "order": "any", "least": "0.8", "most": "1.3", "latency": "1.2"}
SHARE = "is tighter than the noise floor: a share of 0.1 of the runs of one version cross it"


def noisy(**tighter: str) -> list[str]:
    return messages(bands__a=NOISY.format(**AT_THE_FLOOR | tighter))


def test_a_band_at_its_noise_floor_is_left_alone() -> None:
    assert noisy() == []


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"least": "0.81"}, ["token_ratio.min 0.81 is tighter than the noise floor 0.8"]),
        ({"most": "1.29"}, ["token_ratio.max 1.29 is tighter than the noise floor 1.3"]),
        ({"latency": "1.1"}, ["latency_ms_p50.fail 1.1 is tighter than the noise floor 1.2"]),
        (
            {"text": "0.92"},
            [
                "text_similarity.threshold 0.92 is tighter than the noise floor 0.88",
                "text_similarity.classes.formatting 0.92 is tighter than the noise floor 0.88",
            ],
        ),
        (
            {"order": "exact"},
            ["tool_order exact " + SHARE],
        ),
    ],
)
def test_a_band_tighter_than_its_noise_is_told(changed: dict[str, str], said: list[str]) -> None:
    assert noisy(**changed) == said


def test_an_absent_tool_order_is_exact_and_a_floor_of_another_scorer_compares_with_nothing() -> (
    None
):
    bare = NOISY.format(**AT_THE_FLOOR).replace("  tool_order: any\n", "")
    (said,) = messages(bands__a=bare)
    assert said.startswith("tool_order exact is tighter")
    other = NOISY.format(**AT_THE_FLOOR | {"text": "0.99"})
    (said,) = messages(bands__a=other.replace("noise_floor:\n", "noise_floor:\n  scorer: e@1\n"))
    assert said == "the noise floor was measured by e@1, the band's scorer is lexical-indel@1"


# Erosion

WAIVER = """\
id: {name}
agent: a
field: {field}
cases: [{{fixture_id: f, measured: 0.8}}]
band: 0.9
verdict: sha256:{digest}
reason: intended
change_link: https://git.example.com/7
owner: alice
granted_on: {granted}
expires_on: {granted}
{more}"""


def waivers(
    *granted: str, field: str = "text_similarity.threshold", renews: bool = False
) -> dict[str, str]:
    written = {}
    for place, day in enumerate(granted, 1):
        more = f"renews: w-{place - 1}\n" if renews and place > 1 else ""
        written[f"waivers__w-{place}"] = WAIVER.format(
            name=f"w-{place}", field=field, digest="a" * 64, granted=day, more=more
        )
    return written


def newest(files: dict[str, str]) -> list[str]:
    """Give the advice when the last of some waivers arrives."""
    before = side(**dict(list(files.items())[:-1]))
    return [one.message for one in given(side(**files), before)]


def test_the_third_waiver_on_one_field_in_ninety_days_is_one_too_many() -> None:
    assert newest(waivers("2026-01-01", "2026-02-01", "2026-04-01")) == [
        "3 waivers on text_similarity.threshold in 90 days: the limit may be wrong"
    ]
    assert newest(waivers("2026-01-01", "2026-02-01", "2026-04-02")) == []
    assert newest(waivers("2026-01-01", "2026-02-01")) == []


def test_waivers_on_other_fields_do_not_add_up() -> None:
    mixed = waivers("2026-01-01", "2026-01-02")
    other = waivers("2026-01-03", field="facts")["waivers__w-1"].replace("w-1", "w-3")
    assert (
        newest({**mixed, "waivers__w-3": other.replace("0.8", '"sha256:' + "b" * 64 + '"')}) == []
    )


def test_a_second_renewal_is_one_too_many() -> None:
    far = ("2025-01-01", "2025-06-01", "2026-01-01")
    assert newest(waivers(*far, renews=True)) == [
        "renewal number 2 of one waiver on text_similarity.threshold: the limit may be wrong"
    ]
    assert newest(waivers(*far[:2], renews=True)) == []


def test_renewals_that_run_in_a_circle_come_to_an_end() -> None:
    files = waivers("2025-01-01", "2025-06-01", renews=True)
    files["waivers__w-1"] += "renews: w-2\n"
    assert newest(files) == [
        "renewal number 2 of one waiver on text_similarity.threshold: the limit may be wrong"
    ]


# Runs that just failed


def loosened(limit: int) -> tuple[Snapshot, Snapshot]:
    return tuple(
        side(budgets__t=budget(limits=f"steps: {{hard: {number}}}")) for number in (10, limit)
    )  # type: ignore[return-value]  # two of them


def about(limit: int, *steps: int) -> list[str]:
    old, new = loosened(limit)
    runs = run_set(
        *(
            run(f"f{place}", steps=count, correct=True, tool_calls=())
            for place, count in enumerate(steps)
        )
    )
    report = classify(old, new, all_schemas())
    return [one.message for one in looks_like_a_waiver(old, new, report, runs)]


def test_a_loosening_that_turns_just_these_runs_looks_like_a_waiver() -> None:
    (said,) = about(12, 11, 5, 5)
    assert said.startswith("these 3 runs are refused before the change (pass_rate_min)")
    assert said.endswith("it looks like a waiver")


@pytest.mark.parametrize(
    ("limit", "steps"),
    [(12, (5, 5)), (12, (13, 5)), (8, (9, 5))],
    ids=["they passed before", "they fail after", "a tightening"],
)
def test_runs_whose_answer_does_not_turn_are_no_sign(limit: int, steps: tuple[int, ...]) -> None:
    assert about(limit, *steps) == []


def test_runs_of_another_task_are_no_sign() -> None:
    old, new = loosened(12)
    other = run_set(run("f", task_type="refund", steps=11, correct=True, tool_calls=()))
    assert list(looks_like_a_waiver(old, new, classify(old, new, all_schemas()), other)) == []
