from decimal import Decimal

from agentpolicy.runs.evidence import evidence_of
from agentpolicy.runs.provenance import FIELDS, provenance_of
from tests.evidence import run


def test_what_a_record_lacks_is_left_out() -> None:
    assert provenance_of(run()) == {}
    assert provenance_of(run(resolved_model="m", test_case_id="t")) == {
        "resolved_model": "m",
        "test_case_id": "t",
    }


def test_settings_are_equal_by_value() -> None:
    one = provenance_of(run(sampling={"temperature": 0, "top_p": Decimal("1.0")}))
    assert one == provenance_of(run(sampling={"top_p": 1, "temperature": Decimal("0.0")}))


def test_how_a_run_ended_is_no_circumstance() -> None:
    assert provenance_of(run(finish_reason="stop")) == {}
    assert "finish_reason" not in FIELDS


def test_an_unfinished_run_still_says_what_it_ran_on() -> None:
    shown = evidence_of(run(status="infra_error", resolved_model="m"))
    assert (shown.finished, shown.provenance) == (False, {"resolved_model": "m"})
