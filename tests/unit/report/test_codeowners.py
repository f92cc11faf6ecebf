"""CODEOWNERS sends reviews to the people a change needs, and says when it does not."""

import re
import subprocess
from pathlib import Path

import pytest
from agentpolicy.documents.document import Document
from agentpolicy.loading.document import read_document
from agentpolicy.report.codeowners import BEGIN, END, block, routes, with_block, without_handle
from agentpolicy.report.codeowners_lint import lint, pattern
from tests.policy_repo import KEYS
from tests.repositories import make_repository

PEOPLE = ("alice", "pat", "priya", "ria")
ROLES = """\
roles_version: 1
repository: "5f0c1d2e3a4b5c6d7e8f90a1b2c3d4e5"
protected: [refs/heads/main]
guarded: [.github/workflows/agentpolicy.yml, "odd [name].yml"]
people:
{people}
roles:
  platform-owner: {{people: [pat, priya], threshold: 1}}
  reviewer: {{people: [ria], threshold: 1}}
owners:
  bands/refund-agent: [alice]
  budgets/schedule-meeting: [alice]
"""


def roles(**handles: str) -> Document:
    def person(name: str) -> str:
        key = " ".join((KEYS / f"{name}.pub").read_text().split()[:2])
        handle = handles.get(name, f'handle: "@{name}", ')
        return f'  {name}: {{{handle}keys: [{{public: "{key}", since: 1}}]}}'

    text = ROLES.format(people="\n".join(map(person, PEOPLE)))
    return read_document("policies/roles.yaml", text.encode())


def asked(document: Document) -> dict[str, tuple[str, ...]]:
    return {route.pattern: route.handles for route in routes(document)}


def found(text: str, document: Document | None = None, place: str = "CODEOWNERS") -> list[str]:
    return [problem.code for problem in lint({place: text}, document or roles(), ())]


def test_each_document_is_shown_to_those_who_sign_for_it() -> None:
    assert asked(roles()) == {
        "/policies/": ("@pat", "@priya"),
        "/policies/waivers/": ("@pat", "@priya", "@ria"),
        "/policies/bands/refund-agent.yaml": ("@alice", "@pat", "@priya"),
        "/policies/baselines/refund-agent.yaml": ("@alice", "@pat", "@priya", "@ria"),
        "/policies/budgets/schedule-meeting.yaml": ("@alice", "@pat", "@priya"),
        "/.github/workflows/agentpolicy.yml": ("@pat", "@priya"),
        "/policies/approvals/": (),
    }


def test_a_line_without_owners_is_never_written_for_a_document() -> None:
    nobody = roles(**dict.fromkeys(PEOPLE, ""))
    assert asked(nobody) == {"/policies/approvals/": ()}
    assert without_handle(nobody) == PEOPLE
    assert found(block(nobody), nobody) == ["handle-missing"] * 4


@pytest.mark.parametrize("odd", ["@a @mallory", "@a\\n* @mallory", "mallory", "@a # note", "@"])
def test_a_handle_that_is_more_than_one_word_brings_nothing_along(odd: str) -> None:
    document = roles(alice=f'handle: "{odd}", ')
    assert "mallory" not in block(document)
    assert without_handle(document) == ("alice",)
    assert "@pat" in block(document)


def test_other_lines_stay_and_ours_come_last() -> None:
    theirs = "# the team's\n*.md @docs\n"
    once = with_block(theirs, roles())
    assert once.startswith(theirs)
    assert once.endswith(END + "\n")
    assert with_block(once, roles()) == once
    moved = with_block(once + "/policies/ @late\n", roles())
    assert moved.index("/policies/ @late") < moved.index(BEGIN)


def test_a_fresh_file_has_nothing_wrong() -> None:
    assert found(with_block("* @everybody\n", roles())) == []


@pytest.mark.parametrize(
    "late",
    ["* @late", "/policies/ @late", "policies/bands/*", "**/refund-agent.yaml @late", "*.yaml @x"],
)
def test_a_later_line_that_takes_a_policy_away_is_found_with_its_number(late: str) -> None:
    text = with_block("", roles()) + f"\n# more\n{late}\n"
    (problem,) = lint({"CODEOWNERS": text}, roles(), ())
    assert problem.code == "codeowners-shadowed"
    assert problem.position is not None
    assert text.split("\n")[problem.position.line - 1] == late


@pytest.mark.parametrize("late", ["*.md @docs", "/src/ @dev", "policies.md @docs", "# * @x"])
def test_a_later_line_about_something_else_is_none_of_ours(late: str) -> None:
    assert found(with_block("", roles()) + late + "\n") == []


def test_a_document_that_is_there_is_watched_by_name() -> None:
    text = with_block("", roles()) + "/policies/bands/other.yaml @late\n"
    assert found(text) == []
    problems = lint({"CODEOWNERS": text}, roles(), ("policies/bands/other.yaml",))
    assert [problem.code for problem in problems] == ["codeowners-shadowed"]


def test_a_file_that_is_not_read_is_named() -> None:
    files = {"CODEOWNERS": block(roles()), ".github/CODEOWNERS": "* @team\n"}
    codes = [problem.code for problem in lint(files, roles(), ())]
    assert codes == ["codeowners-elsewhere", "codeowners-missing"]


def test_lines_of_an_older_trust_root_and_copied_blocks_are_stale() -> None:
    older = block(roles()).replace("@priya", "@paula")
    assert found(older) == ["codeowners-stale"]
    assert "codeowners-stale" in found(block(roles()) * 2)


@pytest.mark.parametrize("line", ["!/policies/x @a", "[Policies] @a", "docs/[ab].md @a"])
def test_a_line_that_github_skips_is_named(line: str) -> None:
    assert found(f"{line}\n{block(roles())}") == ["codeowners-unread"]


PATTERNS = (
    "*", "*.yaml", "/policies/", "policies", "policies/", "policies/bands", "bands/", "/bands/",
    "policies/**", "**/bands/", "policies/*/a.yaml", "policies/**/a.yaml", "/a.yaml", "a.yaml",
    "p?licies/", "policies/bands/*.yaml", "**/a.yaml",
)  # fmt: skip
PATHS = (
    "a.yaml", "policies/a.yaml", "policies/bands/a.yaml", "policies/bands/b.yml", "bands/a.yaml",
    "docs/policies/a.yaml", "docs/bands/x/a.yaml", "README.md", "policies/x/y/a.yaml",
)  # fmt: skip


def test_patterns_match_what_git_itself_would_ignore_by_them(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    for written in PATTERNS:
        repo.write(".gitignore", written + "\n")
        done = subprocess.run(
            ["git", "check-ignore", "--no-index", *PATHS],
            cwd=repo.path, env=dict(repo.environ), capture_output=True, check=False,
        )  # fmt: skip
        by_git = done.stdout.decode().split()
        ours = [path for path in PATHS if pattern(written).fullmatch(path)]
        assert ours == by_git, written


def test_a_star_at_the_end_reaches_one_folder_deep_as_github_says() -> None:
    assert pattern("docs/*").fullmatch("docs/a.md")
    assert not pattern("docs/*").fullmatch("docs/build/a.md")
    assert re.fullmatch(pattern("*"), "any/where/at/all")
