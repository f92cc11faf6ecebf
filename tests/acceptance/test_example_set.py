"""The example set in `policies/` is admissible from its pin, and the product itself says so."""

import json
import re
import shutil
from pathlib import Path

import pytest
from agentpolicy.base.instant import Instant, parse_instant
from agentpolicy.gitio.objects import Objects
from agentpolicy.gitio.repository import open_repository
from agentpolicy.workflows.check import check_commits
from agentpolicy.workflows.codeowners import check_codeowners, codeowners_text
from agentpolicy.workflows.policy_chain import chain_at_policy_ref
from tests.example_set import (
    AGENT,
    BAND_PATH,
    BUNDLE,
    PIN,
    PRINTED_BAND,
    PRINTED_BUDGET,
    REFS,
    ROOT,
    RUNS,
    SET,
    WAIVER,
    build,
)
from tests.policy_repo import BUDGET_PATH, KEYS, PolicyRepo
from tests.repositories import make_repository

SOURCES = ROOT.parent / "shared" / "sources"


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """A clone of the set's own history and log, pinned as its readers would pin it."""
    repo = PolicyRepo(make_repository(tmp_path / "repo"))
    repo.repo.git("fetch", "-q", "-u", str(BUNDLE), *(f"{ref}:{ref}" for ref in REFS))
    repo.repo.git("reset", "-q", "--hard", "refs/heads/main")
    repo.repo.git("config", "agentpolicy.root", PIN.read_text().strip())
    return repo


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def judged_at(made: PolicyRepo) -> Instant:
    """Say when the failing verdict was reached that the waiver cites."""
    (found,) = (
        one
        for one in made.must("audit", "query", "--format", "json").json["verdicts"]
        if one["decision"] == "fail"
    )
    assert found["verdict"] in (SET / "waivers" / f"{WAIVER}.yaml").read_text()
    return parse_instant(found["evaluated_at"])


def test_the_files_here_are_those_of_its_history(made: PolicyRepo) -> None:
    assert contents(SET) == contents(made.path / "policies")
    assert {path.split("/")[0].removesuffix(".yaml") for path in contents(SET)} == {
        "approvals", "bands", "baselines", "budgets", "roles", "tools", "waivers",
    }  # fmt: skip


def test_every_step_is_admissible_from_the_pin(made: PolicyRepo) -> None:
    repository = open_repository(made.path, made.repo.environ)
    at = judged_at(made)
    with Objects(repository) as objects:
        chain = chain_at_policy_ref(repository, objects, at)
    assert len(chain.commits) == 2
    assert not chain.refused
    assert chain.state_commit == made.head


def test_the_waiver_entered_on_a_verdict_that_the_log_holds(made: PolicyRepo) -> None:
    repository = open_repository(made.path, made.repo.environ)
    at = judged_at(made)
    admitted = check_commits(repository, "main~1", "main", at).admission
    assert admitted.admitted, admitted.problems
    made.repo.git("update-ref", "-d", "refs/heads/agentpolicy/log")
    refused = check_commits(repository, "main~1", "main", at).admission
    assert not refused.admitted


def test_the_log_is_whole(made: PolicyRepo) -> None:
    made.must("audit", "verify")


@pytest.mark.parametrize(("years_later", "decision"), [(0, "pass_with_waivers"), (1, "fail")])
def test_the_candidate_passes_while_the_waiver_lasts(
    made: PolicyRepo, years_later: int, decision: str
) -> None:
    waiver = (SET / "waivers" / f"{WAIVER}.yaml").read_text()
    found = re.search(r"^expires_on: (\d+)(-\d\d-\d\d)$", waiver, re.MULTILINE)
    assert found
    day = f"{int(found[1]) + years_later}{found[2]}"
    ran = made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(RUNS["baseline"]), "--candidate",
        str(RUNS["candidate"]), "--as-of", day, "--format", "json",
    )  # fmt: skip
    assert ran.json["decision"] == decision
    assert ran.json["policy"]["commit"] == made.head


def test_one_changed_figure_makes_it_unusable(made: PolicyRepo) -> None:
    made.edit(BAND_PATH, "max: 1.4", "max: 1.6")
    made.sneak()
    ran = made.run(
        "gate", "band", "--agent", AGENT, "--baseline", str(RUNS["baseline"]),
        "--candidate", str(RUNS["candidate"]),
    )  # fmt: skip
    assert ran.code == 3


def test_it_can_be_made_anew_step_by_step_through_the_product(tmp_path: Path) -> None:
    again = contents(build(tmp_path).path / "policies")
    for path, data in contents(SET).items():
        if not path.startswith(("approvals/", "waivers/")):
            assert again[path] == data
    assert len(again) == len(contents(SET))


def test_codeowners_is_what_the_product_generates_from_it(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    shutil.copytree(SET, repo.path / "policies")
    shutil.copy(ROOT / "CODEOWNERS", repo.path)
    repository = open_repository(repo.path, repo.environ)
    assert codeowners_text(repository) == (ROOT / "CODEOWNERS").read_text()
    assert check_codeowners(repository) == ()


def test_it_is_signed_with_keys_that_say_they_are_public() -> None:
    listed = re.findall(r'public: "([^"]+)"', (SET / "roles.yaml").read_text())
    published = {path.read_text().strip() for path in KEYS.glob("*.pub")}
    assert set(listed) <= published
    assert all(line.endswith(" (public test key)") for line in listed)


def test_the_printed_specifications_stand_as_they_are() -> None:
    assert (ROOT / BAND_PATH).read_text() == PRINTED_BAND
    assert (ROOT / BUDGET_PATH).read_text() == PRINTED_BUDGET


@pytest.mark.skipif(not SOURCES.exists(), reason="the sources are not beside the project")
@pytest.mark.parametrize(
    ("source", "path"), [("tolerance-band.txt", BAND_PATH), ("budget.txt", BUDGET_PATH)]
)
def test_they_are_printed_so_in_the_sources(source: str, path: str) -> None:
    assert (ROOT / path).read_text().rstrip("\n") in (SOURCES / source).read_text()


def test_the_runs_are_the_evidence_that_the_baseline_names() -> None:
    rows = [json.loads(line) for line in RUNS["baseline"].read_text().splitlines()]
    baseline = (SET / "baselines" / f"{AGENT}.yaml").read_text()
    assert all(f"id: {row['fixture_id']}," in baseline for row in rows)
