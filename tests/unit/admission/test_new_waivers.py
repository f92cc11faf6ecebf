"""What a new waiver must show, and whose approval it needs."""

from dataclasses import replace

import pytest
from agentpolicy.base.instant import parse_instant
from tests.admission_world import FIRST, World, approval, ask, codes, words
from tests.policy_repo import BAND_PATH, BUDGET_PATH

VERDICT = "sha256:" + "a" * 64
COMMON = f"""\
verdict: {VERDICT}
reason: the citations are wanted
change_link: https://git.example.com/1
owner: alice
granted_on: 2026-03-10
expires_on: 2026-03-24
"""
OF_FIXTURES = """\
id: {id}
agent: refund-agent
field: {field}
cases: [{{fixture_id: f1, measured: {measured}}}]
band: {band}
"""
OF_BAND = """\
id: {id}
agent: refund-agent
scope: aggregate
metric: {metric}
measured: 3.2
subject: sha256:abc
band: {band}
"""
OF_BUDGET = """\
id: {id}
task_type: schedule_meeting
variant: multi_attendee_cross_tz
scope: aggregate
metric: {metric}
measured: 0.9
subject: sha256:abc
band: {band}
"""


def of_fixtures(
    field: str = "token_ratio.max", band: str = "1.4", measured: str = "1.6", name: str = "w1"
) -> str:
    return OF_FIXTURES.format(id=name, field=field, band=band, measured=measured) + COMMON


def of_band(metric: str = "latency_ms_p50.fail", band: str = "3.0x") -> str:
    return OF_BAND.format(id="w1", metric=metric, band=band) + COMMON


def of_budget(metric: str = "p95_cost_usd", band: str = "0.75", name: str = "w1") -> str:
    return OF_BUDGET.format(id=name, metric=metric, band=band) + COMMON


def with_waiver(world: World, text: str, name: str = "w1") -> World:
    return replace(world, files={**world.files, f"policies/waivers/{name}.yaml": text})


def ask_for(base: World, text: str, role: str, who: str, name: str = "w1") -> set[str]:
    head = with_waiver(base, text, name)
    path = f"policies/waivers/{name}.yaml"
    proposed = approval(base, head, "priya", "proposer", path)
    given = approval(base, head, who, role, path)
    return codes(ask(base, head.approved(proposed, given), confirmed=frozenset({VERDICT})))


def test_a_waiver_of_fixtures_is_the_reviewers_unless_the_band_says_otherwise() -> None:
    assert ask_for(FIRST, of_fixtures(), "reviewer", "ria") == set()
    assert "approval-missing" in ask_for(FIRST, of_fixtures(), "platform-owner", "pat")
    stricter = FIRST.edit(BAND_PATH, ("waivers:\n", "waivers:\n  approver: platform-owner\n"))
    assert ask_for(stricter, of_fixtures(), "platform-owner", "pat") == set()
    assert "approval-missing" in ask_for(stricter, of_fixtures(), "reviewer", "ria")


@pytest.mark.parametrize("text", [of_band(), of_budget()])
def test_a_waiver_of_an_aggregate_or_a_budget_is_the_platform_owners(text: str) -> None:
    assert ask_for(FIRST, text, "platform-owner", "pat") == set()
    assert "approval-missing" in ask_for(FIRST, text, "reviewer", "ria")


ARGUMENTS = """\
fields:
  facts: kept
  arguments:
    mail.send: {body: similar(0.90), amount: {rule: normalised, tolerance: 0.50}}
  latency_ms_p95: 4.0x
  tool_calls_ratio: 2
"""
RICH = FIRST.edit(
    BAND_PATH, ("fields:\n", ARGUMENTS), ("  tool_order: same_unless_idempotent\n", "")
)
DIGEST = "sha256:" + "b" * 64


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (of_fixtures("token_ratio.max", "1.5"), "1.4"),
        (of_fixtures("token_ratio.min", "0.6", "0.5"), "0.7"),
        (of_fixtures("text_similarity.threshold", "0.91", "0.8"), "0.92"),
        (of_fixtures("facts", "equal", DIGEST), "kept"),
        (of_fixtures("tool_order", "any", DIGEST), "exact"),
        (of_fixtures("tool_calls_ratio", "3", "4"), "2"),
        (of_fixtures("arguments.mail.send.body", "similar(0.8)", "0.7"), "similar(0.9)"),
        (of_fixtures("arguments.mail.send.amount", "normalised", "9"), "normalised, tolerance 0.5"),
        (of_fixtures("arguments.mail.send.to", "ignored", DIGEST), "exact"),
        (of_fixtures("arguments.mail.reply.body", "ignored", DIGEST), "exact"),
        (of_band("latency_ms_p50.fail", "2.0x"), "3.0x"),
        (of_band("latency_ms_p95", "2.0x"), "4.0x"),
        (of_budget("p95_cost_usd", "0.8"), "0.75"),
        (of_budget("amber_rate_max", "0.8"), "0.15"),
    ],
)
def test_the_limit_must_be_the_one_in_force(text: str, limit: str) -> None:
    head = with_waiver(RICH, text)
    assert f"in force is {limit}, not" in words(ask(RICH, head))
    band = next(line for line in text.splitlines() if line.startswith("band: "))
    right = with_waiver(RICH, text.replace(band, f"band: {limit}"))
    assert "waiver-limit" not in codes(ask(RICH, right))


def test_a_field_without_a_limit_has_nothing_to_waive() -> None:
    refused = ask(FIRST, with_waiver(FIRST, of_fixtures("facts", "kept", DIGEST)))
    assert "facts in force is no limit" in words(refused)


BASELINE = """\
baseline_version: 1
runs: sha256:{digits}
fixtures: [{{id: f1, class: formatting}}, {{id: f2}}]
""".format(digits="1" * 64)
OWN_CLASS = ("threshold: 0.92\n", "threshold: 0.92\n    classes: {formatting: 0.5}\n")
CLASSED = FIRST.edit(BAND_PATH, OWN_CLASS)
CLASSES = replace(
    CLASSED, files={**CLASSED.files, "policies/baselines/refund-agent.yaml": BASELINE}
)


def test_a_fixture_of_a_class_has_the_threshold_of_its_class() -> None:
    general = of_fixtures("text_similarity.threshold", "0.92", "0.4")
    own = of_fixtures("text_similarity.threshold", "0.5", "0.4")
    assert "in force is 0.5, not 0.92" in words(ask(CLASSES, with_waiver(CLASSES, general)))
    assert "waiver-limit" not in codes(ask(CLASSES, with_waiver(CLASSES, own)))
    both = own.replace("cases: [", "cases: [{fixture_id: f2, measured: 0.4}, ")
    assert "in force is 0.92, not 0.5" in words(ask(CLASSES, with_waiver(CLASSES, both)))


def test_a_waiver_of_what_is_not_governed_is_refused() -> None:
    elsewhere = of_budget().replace("schedule_meeting", "book_room")
    assert "book_room / multi_attendee_cross_tz has no budget in force" in words(
        ask(FIRST, with_waiver(FIRST, elsewhere))
    )
    stranger = of_fixtures().replace("refund-agent", "other-agent")
    assert "other-agent has no band" in words(ask(FIRST, with_waiver(FIRST, stranger)))


SIX = "fixture_id, field, measured, band, reason, change_link"


def ruled(path: str, rules: str) -> World:
    """Give the first policy with these waiver rules in one of its documents."""
    own = "waivers:\n  required_evidence"
    if path == BAND_PATH:
        return FIRST.edit(path, (f"{own}: [{SIX}]\n", f"waivers:\n  {rules}\n"))
    return FIRST.edit(path, ("declared:", f"waivers:\n  {rules}\ndeclared:"))


@pytest.mark.parametrize(
    ("path", "text"),
    [(BAND_PATH, of_fixtures()), (BAND_PATH, of_band()), (BUDGET_PATH, of_budget())],
)
def test_the_documents_own_waiver_rules_hold(path: str, text: str) -> None:
    short, enough = ruled(path, "max_days: 13"), ruled(path, "max_days: 14")
    assert "waiver-too-long" in codes(ask(short, with_waiver(short, text)))
    assert "waiver-too-long" not in codes(ask(enough, with_waiver(enough, text)))
    asking = ruled(path, f"required_evidence: [{SIX}, trace]")
    assert "asks for trace as evidence" in words(ask(asking, with_waiver(asking, text)))
    shown = text + "evidence: {trace: https://example.com/t}\n"
    assert "waiver-evidence" not in codes(ask(asking, with_waiver(asking, shown)))


LIMITED = FIRST.edit(BAND_PATH, ("waivers:\n", "waivers:\n  max_open: 1\n"))
ONE_OPEN = with_waiver(LIMITED, of_fixtures(name="w0"), "w0")


def test_one_waiver_more_than_may_be_open_is_refused() -> None:
    assert "waiver-max-open" not in codes(ask(LIMITED, with_waiver(LIMITED, of_fixtures())))
    refused = ask(ONE_OPEN, with_waiver(ONE_OPEN, of_fixtures()))
    assert "allows 1 open waivers; with this one there are 2" in words(refused)


def test_two_at_once_count_as_two() -> None:
    both = with_waiver(with_waiver(LIMITED, of_fixtures()), of_fixtures(name="w2"), "w2")
    assert "waiver-max-open" in codes(ask(LIMITED, both))


def test_an_expired_waiver_takes_no_room_and_a_closed_one_neither() -> None:
    later = parse_instant("2026-03-25T00:00:00Z")
    renewed = of_fixtures().replace("03-10", "03-25").replace("03-24", "03-30")
    head = with_waiver(ONE_OPEN, renewed)
    assert "waiver-max-open" not in codes(ask(ONE_OPEN, head, at=later))
    moved = with_waiver(ONE_OPEN, of_fixtures()).moved(
        "policies/waivers/w0.yaml", "policies/waivers/closed/2026/w0.yaml"
    )
    assert "waiver-max-open" not in codes(ask(ONE_OPEN, moved))


def test_what_is_open_elsewhere_takes_no_room() -> None:
    elsewhere = with_waiver(LIMITED, of_budget(name="w0"), "w0")
    assert "waiver-max-open" not in codes(ask(elsewhere, with_waiver(elsewhere, of_fixtures())))


def test_a_budgets_waiver_is_revoked_by_the_budgets_owner() -> None:
    base = with_waiver(FIRST, of_budget())
    head = base.moved("policies/waivers/w1.yaml", "policies/waivers/closed/2026/w1.yaml")
    path = "policies/waivers/w1.yaml"
    assert ask(base, head.approved(approval(base, head, "alice", "agent-owner", path))).admitted
    assert not ask(base, head.approved(approval(base, head, "ria", "agent-owner", path))).admitted


def test_where_nobody_owns_the_budget_the_platform_owner_agrees_to_revoke() -> None:
    unowned = FIRST.edit("policies/roles.yaml", ("  budgets/schedule-meeting: [alice]\n", ""))
    base = with_waiver(unowned, of_budget())
    head = base.moved("policies/waivers/w1.yaml", "policies/waivers/closed/2026/w1.yaml")
    path = "policies/waivers/w1.yaml"
    proposed = approval(base, head, "alice", "proposer", path)
    agreed = approval(base, head, "pat", "platform-owner", path)
    assert "approval-missing" in codes(ask(base, head.approved(proposed)))
    assert ask(base, head.approved(proposed, agreed)).admitted
