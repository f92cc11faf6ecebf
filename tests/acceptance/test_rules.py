"""`rules`: what a policy may say, asked of the real command line, anywhere."""

from pathlib import Path

import pytest
from tests.policy_repo import PolicyRepo
from tests.repositories import make_repository


@pytest.fixture(scope="module")
def anywhere(tmp_path_factory: pytest.TempPathFactory) -> PolicyRepo:
    return PolicyRepo(make_repository(Path(tmp_path_factory.mktemp("rules")) / "empty"))


def test_every_rule_is_listed_without_a_pin_or_a_policy(anywhere: PolicyRepo) -> None:
    ran = anywhere.run("rules")
    assert ran.code == 0
    assert "band/text-threshold" in ran.out
    assert "baseline/re-baselined" in ran.out
    assert ran.err == ""


def test_the_list_as_json_is_what_other_programs_read(anywhere: PolicyRepo) -> None:
    rules = anywhere.run("rules", "--format", "json").json["rules"]
    threshold = next(rule for rule in rules if rule["id"] == "band/text-threshold")
    assert threshold["tighter_when"] == "it is higher"
    assert threshold["approvals"]["looser"] == ["agent-owner", "platform-owner"]


def test_one_rule_is_explained(anywhere: PolicyRepo) -> None:
    ran = anywhere.run("rules", "explain", "budget/steps-hard")
    assert ran.code == 0
    assert "budget/steps-hard: Above this a run is over budget." in ran.out
    written = anywhere.run("rules", "explain", "budget/steps-hard", "--format", "json").json
    assert (written["format_version"], written["id"]) == (1, "budget/steps-hard")


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("band/text-treshold", "agentpolicy rules explain band/text-threshold"),
        ("zzz", "agentpolicy rules"),
    ],
)
def test_an_unknown_rule_is_wrong_usage_with_the_one_that_was_meant(
    anywhere: PolicyRepo, typed: str, hint: str
) -> None:
    ran = anywhere.run("rules", "explain", typed)
    assert ran.code == 2
    assert ran.out == ""
    assert f"there is no rule '{typed}'" in ran.err
    assert f"next: {hint}\n" in ran.err
