"""A changed baseline: fixtures are told apart by id, and pointed at where each side has them."""

from agentpolicy.loading.document import read_document
from agentpolicy.order.change import ChangeReport
from agentpolicy.order.classify import ChangeClass, classify
from tests.policies import SCHEMAS, snapshot

PATH = "policies/baselines/agent.yaml"
ONE, TWO, THREE = (f"sha256:{digit * 64}" for digit in "123")
HEAD = f"baseline_version: 1\nruns: {ONE}\nfixtures:\n"
FIRST = "  - {id: f1, class: a, attempts: 3}\n"
SECOND = "  - {id: f2}\n"
NEW = "  - {id: f0, class: b}\n"
ACCEPTED = f"  - {{fixture_id: f1, before: {ONE}, after: {TWO}, reason: clearer}}\n"
MORE = f"  - {{fixture_id: f2, before: {ONE}, after: {THREE}, reason: shorter}}\n"


def change(old: str, new: str) -> ChangeReport:
    before, after = (read_document(PATH, (HEAD + text).encode()) for text in (old, new))
    return classify(snapshot(before), snapshot(after), SCHEMAS)


def seen(report: ChangeReport) -> list[tuple[str, str, str, int | None, int | None]]:
    return [
        (
            found.rule,
            str(found.effect),
            found.pointer,
            found.location.line if found.location else None,
            found.old_location.line if found.old_location else None,
        )
        for found in report.findings
    ]


def test_a_moved_fixture_that_changed_is_shown_at_both_its_places() -> None:
    report = change(FIRST + SECOND, SECOND + FIRST.replace("class: a", "class: b"))
    assert seen(report) == [("baseline/fixture-class", "incomparable", "/fixtures/1/class", 5, 4)]


def test_an_added_fixture_has_no_place_on_the_old_side() -> None:
    report = change(FIRST + SECOND, NEW + FIRST + SECOND)
    assert seen(report) == [
        ("baseline/fixture-class", "incomparable", "/fixtures/0/class", 4, None),
        ("baseline/fixture", "incomparable", "/fixtures/0/id", 4, None),
    ]


def test_a_removed_fixture_is_shown_where_it_stood() -> None:
    report = change(SECOND + FIRST, "  # one less\n" + FIRST)
    assert seen(report) == [("baseline/fixture", "incomparable", "/fixtures/0/id", 4, 4)]
    report = change(FIRST + SECOND, FIRST)
    assert seen(report) == [("baseline/fixture", "incomparable", "/fixtures/1/id", 5, 5)]


def test_fixtures_and_accepted_outputs_in_another_order_are_the_same() -> None:
    report = change(
        FIRST + SECOND + "accepted:\n" + ACCEPTED + MORE,
        SECOND + FIRST + "accepted:\n" + MORE + ACCEPTED,
    )
    assert report.change_class is ChangeClass.NEUTRAL
    assert [found.rule for found in report.findings] == ["document/rewritten"]


def test_one_more_accepted_output_is_a_finding_of_its_own() -> None:
    fixtures = FIRST + SECOND
    report = change(fixtures + "accepted:\n" + ACCEPTED, fixtures + "accepted:\n" + MORE + ACCEPTED)
    assert seen(report) == [("baseline/re-baselined", "looser", "/accepted", 7, 7)]
    assert report.findings[0].why.startswith('now accepts {"after": ')
