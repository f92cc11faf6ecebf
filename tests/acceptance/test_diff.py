"""`agentpolicy diff`, typed in real repositories."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.policy_repo import (
    BAND,
    BAND_PATH,
    BUDGET,
    BUDGET_PATH,
    ROLES_PATH,
    TOOLS_PATH,
    PolicyRepo,
    begin,
)
from tests.repositories import GitRepository, make_repository

TOOLS = """\
tools_version: 1
tools:
  calendar.create_event: {effect: write}
  mail.reply: {effect: write, requires: [calendar.create_event]}
"""


def typed(
    repository: GitRepository, *args: str, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Type `agentpolicy diff …` in a repository."""
    return subprocess.run(
        [sys.executable, "-m", "agentpolicy", "diff", *args],
        cwd=repository.path,
        env={**repository.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(env or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def answer(repository: GitRepository, *args: str) -> dict[str, Any]:
    """Give the JSON answer, which must have been had."""
    done = typed(repository, *args, "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def repository(tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "repo")
    made.commit_files({BAND_PATH: BAND, BUDGET_PATH: BUDGET, TOOLS_PATH: TOOLS})
    return made


def edit(repository: GitRepository, path: str, old: str, new: str) -> None:
    place = repository.path / path
    text = place.read_text()
    assert text.count(old) == 1
    place.write_text(text.replace(old, new))


GOLDEN = [
    # numbers that look like "less" and "more", both ways
    (BAND_PATH, "threshold: 0.92", "threshold: 0.94", "tighter", "band/text-threshold"),
    (BAND_PATH, "threshold: 0.92", "threshold: 0.90", "looser", "band/text-threshold"),
    (BUDGET_PATH, "soft: 12", "soft: 11", "tighter", "budget/steps-soft"),
    (BUDGET_PATH, "hard: 25", "hard: 26", "looser", "budget/steps-hard"),
    (BUDGET_PATH, "rate_min:  0.90", "rate_min:  0.91", "tighter", "budget/pass-rate-min"),
    (BUDGET_PATH, "rate_max: 0.15", "rate_max: 0.16", "looser", "budget/amber-rate-max"),
    (BUDGET_PATH, "action_rate_max: 0.0", "action_rate_max: 0.01", "looser",
     "budget/unsafe-rate-max"),
    # a limit that goes or comes
    (BAND_PATH, "    max: 1.4\n", "", "looser", "band/token-ratio-max"),
    (BAND_PATH, "    fail: 3.0x\n", "", "looser", "band/latency-p50-fail"),
    (BUDGET_PATH, "  allowed", "  tokens: {hard: 9000}\n  allowed", "tighter",
     "budget/tokens-hard"),
    (BUDGET_PATH, "  unsafe_action_rate_max: 0.0\n", "", "neutral", "budget/unsafe-rate-max"),
    # sets
    (BUDGET_PATH, ', "mail.send_invite"', "", "tighter", "budget/allowed-effects"),
    (BUDGET_PATH, '"mail.reply"', '"mail.send"', "incomparable", "budget/allowed-effects"),
    (BAND_PATH, "change_link]", "change_link, trace]", "tighter", "band/waiver-evidence"),
    (BAND_PATH, "required_keys: exact", "required_keys: [status]", "incomparable",
     "band/required-keys"),
    (BAND_PATH, "  required_keys: exact\n", "", "looser", "band/required-keys"),
    # chains
    (BAND_PATH, "same_unless_idempotent", "any", "looser", "band/tool-order"),
    (BAND_PATH, "  tool_order: same_unless_idempotent\n", "", "tighter", "band/tool-order"),
    (BAND_PATH, "  optional_keys: allowed\n", "", "neutral", "band/optional-keys"),
    # the catalogue
    (TOOLS_PATH, "event: {effect: write}", "event: {effect: read}", "looser", "tools/effect"),
    (TOOLS_PATH, "event: {effect: write}", "event: {effect: write, idempotent: true}", "looser",
     "tools/idempotent"),
    (TOOLS_PATH, "tools:\n", "tools:\n  db.drop: {effect: read}\n", "looser", "tools/effect"),
    (TOOLS_PATH, "tools:\n", "tools:\n  db.drop: {effect: destructive}\n", "neutral",
     "tools/effect"),
    (TOOLS_PATH, ", requires: [calendar.create_event]", "", "looser", "tools/requires"),
    # identity
    (BUDGET_PATH, "variant: multi", "variant: single", "incomparable", "budget/variant"),
    # what no verdict reads
    (BAND_PATH, "approved_on: 2026-03-02", "approved_on: 2026-04-02", "neutral",
     "band/approved-on"),
    (BAND_PATH, "band_version: 1", "band_version: 2", "neutral", "band/version"),
    # another spelling of the same rules
    (BUDGET_PATH, "0.60", "0.6", "neutral", "document/rewritten"),
    (BAND_PATH, "3.0x", "3x", "neutral", "document/rewritten"),
    (BUDGET_PATH, "      # runs between soft and hard", "", "neutral", "document/rewritten"),
    (BUDGET_PATH, "{ soft: 12,   hard: 25 }", "{hard: 25, soft: 12}", "neutral",
     "document/rewritten"),
    (BUDGET_PATH, '"calendar.create_event", "mail.reply"', '"mail.reply", calendar.create_event',
     "neutral", "document/rewritten"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "old", "new", "change_class", "rule"),
    GOLDEN,
    ids=[f"{rule}: {old.strip()} to {new.strip() or 'nothing'}" for _, old, new, _, rule in GOLDEN],
)
def test_an_edit_of_a_real_file_is_classed(
    repository: GitRepository, path: str, old: str, new: str, change_class: str, rule: str
) -> None:
    edit(repository, path, old, new)
    found = answer(repository)
    assert found["class"] == change_class
    assert [finding["rule"] for finding in found["findings"]] == [rule]
    assert found["documents"] == 3


class TestSides:
    def test_the_work_tree_is_compared_with_head(self, repository: GitRepository) -> None:
        edit(repository, BAND_PATH, "0.92", "0.94")
        found = answer(repository)
        assert found["class"] == "tighter"
        assert found["approvals_needed"] == ["agent-owner"]

    def test_before_the_first_commit_everything_is_new(self, tmp_path: Path) -> None:
        repository = make_repository(tmp_path / "repo")
        repository.write(BAND_PATH, BAND)
        found = answer(repository)
        assert found["class"] == "looser"
        assert [finding["rule"] for finding in found["findings"]] == ["document/added"]

    def test_staged_is_what_is_compared_with_staged(self, repository: GitRepository) -> None:
        repository.stage(BAND_PATH, BAND.replace("0.92", "0.94"))
        edit(repository, BAND_PATH, "0.94", "0.80")
        assert answer(repository, "--staged")["class"] == "tighter"
        assert answer(repository)["class"] == "looser"

    def test_one_commit_is_compared_with_the_work_tree(self, repository: GitRepository) -> None:
        repository.commit_files({BAND_PATH: BAND.replace("0.92", "0.94")})
        edit(repository, BAND_PATH, "0.94", "0.93")
        assert answer(repository)["class"] == "looser"
        assert answer(repository, "HEAD~1")["class"] == "tighter"

    def test_two_commits_are_compared_whatever_the_work_tree_holds(
        self, repository: GitRepository
    ) -> None:
        repository.commit_files({BAND_PATH: BAND.replace("0.92", "0.94")})
        repository.write(BAND_PATH, "nonsense")
        assert answer(repository, "HEAD~1", "HEAD")["class"] == "tighter"
        assert answer(repository, "HEAD", "HEAD~1")["class"] == "looser"

    def test_it_may_be_typed_in_any_folder(self, repository: GitRepository) -> None:
        edit(repository, BAND_PATH, "0.92", "0.94")
        below = GitRepository(repository.path / "policies/bands", repository.environ)
        assert answer(below)["class"] == "tighter"

    def test_a_guarded_file_outside_policies_is_part_of_it(self, repository: GitRepository) -> None:
        roles = {
            "roles_version": 1,
            "repository": "0" * 32,
            "protected": ["refs/heads/main"],
            "guarded": ["ci.yml"],
            "people": {},
            "roles": {"platform-owner": {"people": [], "threshold": 1}},
        }
        repository.commit_files({"ci.yml": "run: check\n"})
        repository.commit_files({ROLES_PATH: json.dumps(roles) + "\n"})
        repository.write("ci.yml", "run: nothing\n")
        found = answer(repository)
        assert found["class"] == "incomparable"
        assert found["findings"][0]["effect"] == "root"
        assert found["findings"][0]["document"] == "ci.yml"
        # Guarding a file that was there before is no addition of it.
        added = answer(repository, "HEAD~1", "HEAD")
        assert [finding["document"] for finding in added["findings"]] == [ROLES_PATH]

    def test_a_deleted_file_is_a_loosening(self, repository: GitRepository) -> None:
        (repository.path / BUDGET_PATH).unlink()
        found = answer(repository)
        assert found["class"] == "looser"
        assert found["findings"][0]["rule"] == "document/deleted"
        assert found["findings"][0]["location"]["path"] == BUDGET_PATH

    def test_a_renamed_file_is_two_changes(self, repository: GitRepository) -> None:
        repository.git("mv", BAND_PATH, "policies/bands/other-agent.yaml")
        repository.git("config", "diff.renames", "copies")
        found = answer(repository, "--staged")
        assert [finding["rule"] for finding in found["findings"]] == [
            "document/added",
            "document/deleted",
        ]


class TestApprovals:
    @pytest.fixture
    def made(self, tmp_path: Path) -> PolicyRepo:
        return begin(tmp_path / "repo")

    def test_a_tightening_needs_its_owner_alone(self, made: PolicyRepo) -> None:
        made.edit(BAND_PATH, "0.92", "0.94")
        assert answer(made.repo)["approvals_needed"] == ["agent-owner"]
        assert f"  {BAND_PATH}: agent-owner (alice)\n" in typed(made.repo).stdout

    def test_a_loosening_names_who_else_must_approve(self, made: PolicyRepo) -> None:
        made.edit(BAND_PATH, "0.92", "0.90")
        assert answer(made.repo)["approvals_needed"] == ["agent-owner", "platform-owner"]
        line = f"  {BAND_PATH}: agent-owner (alice) and platform-owner (pat or priya)\n"
        assert line in typed(made.repo).stdout

    def test_the_roles_of_the_old_side_count(self, made: PolicyRepo) -> None:
        made.edit(BAND_PATH, "0.92", "0.90")
        made.edit(ROLES_PATH, "people: [pat, priya]", "people: [alice, pat]")
        line = f"  {BAND_PATH}: agent-owner (alice) and platform-owner (pat or priya)\n"
        assert line in typed(made.repo).stdout

    def test_each_document_needs_what_its_own_change_needs(self, made: PolicyRepo) -> None:
        made.edit(BAND_PATH, "0.92", "0.94")
        made.edit(BUDGET_PATH, "hard: 25", "hard: 26")
        needed = {c["document"]: c["approvals_needed"] for c in answer(made.repo)["changes"]}
        assert needed == {
            BAND_PATH: ["agent-owner"],
            BUDGET_PATH: ["agent-owner", "platform-owner"],
        }

    def test_roles_that_contradict_themselves_do_not_keep_it_from_classing(
        self, made: PolicyRepo
    ) -> None:
        made.edit(ROLES_PATH, "threshold: 1", "threshold: 9")
        done = typed(made.repo, "--format", "json")
        assert done.returncode == 0
        assert ROLES_PATH in done.stderr
        assert json.loads(done.stdout)["findings"][0]["rule"] == "roles/threshold"


class TestFiles:
    def test_two_files_need_no_repository(self, tmp_path: Path, repository: GitRepository) -> None:
        (tmp_path / "before.yaml").write_text(BAND)
        (tmp_path / "after.yaml").write_text(BAND.replace("0.92", "0.90"))
        outside = GitRepository(tmp_path, repository.environ)
        found = answer(outside, "--files", "before.yaml", "after.yaml")
        assert found["class"] == "looser"
        assert found["approvals_needed"] == ["agent-owner", "platform-owner"]
        (finding,) = found["findings"]
        assert finding["location"] == {"path": "after.yaml", "line": 6, "column": 16}
        assert finding["old_location"]["path"] == "before.yaml"

    def test_two_policies_folders_need_no_repository(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        for side, threshold in (("before", "0.92"), ("after", "0.94")):
            place = tmp_path / side / BAND_PATH
            place.parent.mkdir(parents=True)
            place.write_text(BAND.replace("0.92", threshold))
        outside = GitRepository(tmp_path, repository.environ)
        assert answer(outside, "--files", "before", "after")["class"] == "tighter"
        folders = ("before/policies", "after/policies")
        assert answer(outside, "--files", *folders)["class"] == "tighter"

    @pytest.mark.parametrize(
        ("old", "new", "code"),
        [
            (BAND_PATH, BUDGET_PATH, "two-kinds"),
            (BAND_PATH, "policies", "file-unreadable"),
            (BAND_PATH, "nowhere.yaml", "file-unreadable"),
            ("policies", ".git", "no-policies"),
        ],
    )
    def test_what_cannot_be_compared_is_refused(
        self, repository: GitRepository, old: str, new: str, code: str
    ) -> None:
        done = typed(repository, "--files", old, new)
        assert done.returncode == 2
        assert f"[{code}]" in done.stderr
        assert done.stdout == ""


class TestAnswers:
    def test_a_location_is_where_the_value_stands(self, repository: GitRepository) -> None:
        new = "# a line more\n" + BAND.replace("max: 1.4", "max:   1.5").replace("0.7", "0.75")
        repository.write(BAND_PATH, new)
        found = answer(repository)
        for finding in found["findings"]:
            assert value_at(new, finding["location"]).startswith(finding["new"])
            assert value_at(BAND, finding["old_location"]).startswith(finding["old"])
        assert len(found["findings"]) == 2

    def test_a_removal_points_at_where_the_value_was(self, repository: GitRepository) -> None:
        edit(repository, BAND_PATH, "    max: 1.4\n", "")
        (finding,) = answer(repository)["findings"]
        assert value_at(BAND, finding["location"]).startswith("1.4")

    def test_the_text_says_class_place_values_and_reason(self, repository: GitRepository) -> None:
        edit(repository, BAND_PATH, "0.92", "0.90")
        done = typed(repository)
        assert done.returncode == 0
        assert done.stderr == ""
        for words in (
            "looser: 3 documents compared, 1 changed",
            "13 fields compared in it, 12 unchanged",
            f"{BAND_PATH}:6:16",
            "0.92 -> 0.9",
            "0.9 is lower than 0.92: a run that was refused can be accepted now",
            "platform-owner",
            f"next: agentpolicy sign {BAND_PATH} --key KEY",
            f"next: agentpolicy approve {BAND_PATH} --role platform-owner --key KEY",
        ):
            assert words in done.stdout

    def test_explaining_adds_what_the_field_decides(self, repository: GitRepository) -> None:
        edit(repository, BAND_PATH, "0.92", "0.90")
        assert "equal passes" in typed(repository, "--explain").stdout

    def test_one_loosening_among_tightenings_is_listed_first(
        self, repository: GitRepository
    ) -> None:
        for old, new in (("0.92", "0.95"), ("0.7", "0.8"), ("1.5x", "1.4x"), ("1.4\n", "1.41\n")):
            edit(repository, BAND_PATH, old, new)
        done = typed(repository).stdout
        assert done.startswith("incomparable")
        first = next(line for line in done.splitlines() if BAND_PATH in line)
        assert "token_ratio/max" in first

    def test_nothing_changed_says_how_much_was_compared(self, repository: GitRepository) -> None:
        assert typed(repository).stdout == "no change: 3 documents compared\n"

    def test_the_bytes_do_not_depend_on_the_hash_seed(self, repository: GitRepository) -> None:
        edit(repository, BUDGET_PATH, '"mail.reply", "mail.send_invite"', "a, b, c, d")
        edit(repository, BAND_PATH, "exact", "[p, q, r]")
        seeds = [{"PYTHONHASHSEED": str(seed)} for seed in range(6)]
        answers = {typed(repository, "--format", "json", env=seed).stdout for seed in seeds}
        assert len(answers) == 1
        assert "now allows a, b, c, d and no longer allows mail.reply" in answers.pop()


class TestRefusals:
    def test_every_unreadable_document_of_both_sides_is_named(
        self, repository: GitRepository
    ) -> None:
        repository.commit_files({TOOLS_PATH: "tools_version: 1\ntools_version: 2\n"})
        edit(repository, BAND_PATH, "0.92", "nan")
        done = typed(repository)
        assert done.returncode == 2
        assert done.stdout == ""
        assert f"{TOOLS_PATH}:2:1" in done.stderr
        assert f"{BAND_PATH}:6:16" in done.stderr

    def test_no_policies_on_either_side_is_not_no_change(self, tmp_path: Path) -> None:
        repository = make_repository(tmp_path / "repo")
        repository.commit_files({"README": "empty\n"})
        done = typed(repository)
        assert done.returncode == 3
        assert "[no-policies]" in done.stderr

    def test_a_second_budget_for_one_pair_is_said_to_be_refused(
        self, repository: GitRepository
    ) -> None:
        repository.write("policies/budgets/again.yaml", BUDGET)
        done = typed(repository)
        assert done.returncode == 0
        assert "[budget-pair-taken]" in done.stderr

    @pytest.mark.parametrize(
        "args",
        [
            ("HEAD", "HEAD", "--staged"),
            ("HEAD", "--files", "a", "b"),
            ("--files", "a", "b", "--staged"),
        ],
    )
    def test_two_names_for_the_new_side_are_wrong_usage(
        self, repository: GitRepository, args: tuple[str, ...]
    ) -> None:
        done = typed(repository, *args)
        assert done.returncode == 2
        assert "[diff-what]" in done.stderr

    @pytest.mark.parametrize("name", ["nowhere", "--output=/tmp/x", f"HEAD:{BAND_PATH}", ""])
    def test_a_word_that_names_no_commit_is_refused(
        self, repository: GitRepository, name: str
    ) -> None:
        done = typed(repository, "--", name)
        assert done.returncode == 2
        assert "[unknown-commit]" in done.stderr

    def test_outside_a_repository_it_says_so(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        (tmp_path / "elsewhere").mkdir()
        done = typed(GitRepository(tmp_path / "elsewhere", repository.environ))
        assert done.returncode == 2
        assert "[not-a-repository]" in done.stderr


def value_at(text: str, location: Mapping[str, Any]) -> str:
    """Read what stands at a location of a text."""
    line = text.splitlines()[int(location["line"]) - 1]
    return line[int(location["column"]) - 1 :]
