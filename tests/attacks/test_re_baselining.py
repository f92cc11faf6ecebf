"""Attacks on what a candidate is held against: the reference runs, the fixtures, their weight."""

import json
from pathlib import Path

import pytest
from tests.attacks.released import (
    AFTER,
    BEFORE,
    PATH,
    attempt,
    baseline,
    begin_with_baseline,
    digest,
    release,
)
from tests.attacks.roads import refused_everywhere
from tests.policy_repo import PolicyRepo, Ran, serve, write_runs


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """Land a baseline of two fixtures, and lay the evidence of a re-baselining beside it."""
    repository = begin_with_baseline(tmp_path)
    runs = tmp_path / "baseline.jsonl"
    serve(repository, tmp_path / "server.git")
    (tmp_path / "before.txt").write_text(BEFORE)
    (tmp_path / "after.txt").write_text(AFTER)
    write_runs(tmp_path / "other.jsonl", [attempt("o", "one"), attempt("o", "two")])
    repository.repo.write(PATH, baseline(runs, accepted=True, version=2))
    return repository


def reviewed(made: PolicyRepo, tmp_path: Path) -> tuple[Ran, Ran]:
    """Sign as the one who proposes it, and approve as the reviewer, with all evidence at hand."""
    files = ("baseline.jsonl", "other.jsonl", "before.txt", "after.txt")
    shown = [f"--evidence={tmp_path / name}" for name in files]
    return made.sign(), made.approve("ria", "reviewer", *shown)


@pytest.mark.attack("A16", "commit", "check")
def test_a16_a_reviewer_alone_lands_a_re_baselining_of_texts(
    made: PolicyRepo, tmp_path: Path
) -> None:
    signed, approved = reviewed(made, tmp_path)
    assert (signed.code, approved.code) == (0, 0), (signed, approved)
    landed = made.commit("accept a text")
    assert landed.code == 0, landed


SWAPPED: tuple[tuple[str, str], ...] = (
    ('"class": "refund"', '"class": "formatting"'),
    ('"criticality": "critical",', ""),
    ('"id": "one"', '"id": "another"'),
)


@pytest.mark.attack("A16", "commit", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize("edit", SWAPPED, ids=[new or old for old, new in SWAPPED])
def test_a16_a_re_baselining_that_relabels_a_fixture_needs_the_platform_owner(
    made: PolicyRepo, tmp_path: Path, edit: tuple[str, str]
) -> None:
    made.edit(PATH, *edit)
    reviewed(made, tmp_path)
    refused_everywhere(made, tmp_path, "platform-owner")


@pytest.mark.attack("A16", "commit", "check", "pre-push", "push", "gate")
def test_a16_a_re_baselining_that_swaps_the_runs_needs_the_platform_owner(
    made: PolicyRepo, tmp_path: Path
) -> None:
    old, new = (digest((tmp_path / f"{name}.jsonl").read_bytes()) for name in ("baseline", "other"))
    made.edit(PATH, old, new)
    reviewed(made, tmp_path)
    refused_everywhere(made, tmp_path, "platform-owner")


@pytest.mark.attack("A16", "commit", "check", "pre-push", "push", "gate")
def test_a16_a_re_baselining_that_drops_a_fixture_needs_the_platform_owner(
    made: PolicyRepo, tmp_path: Path
) -> None:
    tree = json.loads((made.path / PATH).read_text())
    tree["fixtures"] = tree["fixtures"][1:]
    made.repo.write(PATH, json.dumps(tree, indent=2) + "\n")
    reviewed(made, tmp_path)
    refused_everywhere(made, tmp_path, "platform-owner")


@pytest.mark.attack("C16", "gate")
def test_c16_a_candidate_is_never_its_own_baseline(made: PolicyRepo, tmp_path: Path) -> None:
    own = [attempt("c", "one"), attempt("c", "two")]
    ran = release(made, tmp_path / "candidate.jsonl", own)
    assert ran.code == 2, ran
    assert "baseline" in ran.err


@pytest.mark.attack("C16", "gate")
def test_c16_reference_runs_offered_again_as_a_candidate_are_refused(
    made: PolicyRepo, tmp_path: Path
) -> None:
    reference = tmp_path / "baseline.jsonl"
    for again in ([attempt("b", "one"), attempt("b", "two")],
                  [attempt("b", "one", cost_usd="0.31"), attempt("c", "two")]):  # fmt: skip
        ran = release(made, reference, again)
        assert ran.code == 2, ran
        assert "the candidate shares" in ran.err


@pytest.mark.attack("C16", "gate")
def test_c16_another_baseline_file_than_the_one_in_force_is_refused(
    made: PolicyRepo, tmp_path: Path
) -> None:
    candidate = [attempt("c", "one"), attempt("c", "two")]
    ran = release(made, tmp_path / "other.jsonl", candidate)
    assert ran.code == 2, ran
    assert "baseline document in force names" in ran.err
    mended = (tmp_path / "baseline.jsonl").read_text().replace("0.30", "0.90")
    (tmp_path / "baseline.jsonl").write_text(mended)
    assert release(made, tmp_path / "baseline.jsonl", candidate).code == 2


@pytest.mark.attack("C16", "gate")
def test_c16_a_baseline_of_the_candidates_own_branch_is_not_asked(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.repo.git("checkout", "-q", "-b", "candidate")
    made.repo.write(PATH, baseline(tmp_path / "other.jsonl", version=2))
    made.sneak()
    candidate = [attempt("c", "one"), attempt("c", "two")]
    assert release(made, tmp_path / "other.jsonl", candidate).code == 2
    whole = release(made, tmp_path / "baseline.jsonl", candidate)
    assert whole.code == 0, whole
