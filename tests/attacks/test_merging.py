"""Attacks that hide a loosening in a merge, or in the shape of history."""

from pathlib import Path

import pytest
from tests.attacks.roads import refused_after_commit
from tests.policy_repo import BAND_PATH, BUDGET_PATH, PolicyRepo, begin, serve
from tests.repositories import GitRepository, clone

AMBER = "amber_rate_max: {}"


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def tighten_to(made: PolicyRepo, new: str, old: str = "0.15") -> str:
    made.edit(BUDGET_PATH, AMBER.format(old), AMBER.format(new))
    return made.land(f"at most {new}")


def merge(made: PolicyRepo, *args: str) -> bool:
    """Merge as told; say whether git went through with it."""
    return made.repo.try_git("merge", "-q", "--no-edit", *args).returncode == 0


@pytest.fixture
def stale(made: PolicyRepo, tmp_path: Path) -> PolicyRepo:
    """On main 0.05 is in force; a branch of an older day tightens to 0.10 in good order."""
    made.repo.branch("stale")
    tighten_to(made, "0.10")
    made.repo.git("checkout", "-q", "main")
    tighten_to(made, "0.05")
    serve(made, tmp_path / "server.git")
    return made


@pytest.mark.attack("A11", "merge", "check", "pre-push", "push", "gate")
def test_a11_a_stale_tightening_looser_than_todays_rule_is_refused(
    stale: PolicyRepo, tmp_path: Path
) -> None:
    before = stale.head
    assert not merge(stale, "-X", "theirs", "stale")
    assert stale.head == before
    stale.repo.git("merge", "--abort")
    assert merge(stale, "--no-verify", "-X", "theirs", "stale")
    assert AMBER.format("0.10") in (stale.path / BUDGET_PATH).read_text()
    refused_after_commit(stale, tmp_path, before)


def commit_tree(made: PolicyRepo, tree: str, *parents: str) -> None:
    """Check out a commit made by hand, with any tree and any parents."""
    named = [word for parent in parents for word in ("-p", made.repo.oid(parent))]
    commit = made.repo.git("commit-tree", made.repo.oid(tree), *named, "-m", "merge")
    made.repo.git("reset", "-q", "--hard", commit)


@pytest.mark.attack("A12", "check", "pre-push", "push", "gate")
@pytest.mark.parametrize(
    "parents", [("main", "stale"), ("main", "main~1"), ("main", "main~1", "stale")]
)
@pytest.mark.parametrize("tree", ["stale^{tree}", "main~1^{tree}"])
def test_a12_a_merge_with_an_old_tree_is_refused_whatever_its_last_parent(
    stale: PolicyRepo, tmp_path: Path, tree: str, parents: tuple[str, ...]
) -> None:
    before = stale.head
    commit_tree(stale, tree, *parents)
    refused_after_commit(stale, tmp_path, before)


@pytest.mark.attack("A12", "pre-push", "push")
def test_a12_a_merge_that_keeps_nothing_of_main_is_refused(
    stale: PolicyRepo, tmp_path: Path
) -> None:
    """`-s ours` on the old branch: main goes in as the second parent, and none of it counts."""
    server = stale.repo.git("ls-remote", "origin")
    stale.repo.git("checkout", "-q", "stale")
    assert merge(stale, "--no-verify", "-s", "ours", "main")
    for bypass in ((), ("--no-verify",)):
        pushed = stale.repo.try_git("push", "-q", *bypass, "origin", "HEAD:main")
        assert pushed.returncode != 0
        assert b"first-parent chain" in pushed.stderr
    assert stale.repo.git("ls-remote", "origin") == server


@pytest.fixture
def forked(made: PolicyRepo, tmp_path: Path) -> PolicyRepo:
    """On main and on a branch beside it somebody wrote code; no policy moved."""
    serve(made, tmp_path / "server.git")
    made.repo.branch("side")
    made.repo.commit_files({"src/side.py": "side\n"})
    made.repo.git("checkout", "-q", "main")
    made.repo.commit_files({"src/main.py": "main\n"})
    return made


@pytest.mark.attack("A13", "commit", "check", "pre-push", "push", "gate")
def test_a13_a_change_made_in_the_merge_itself_is_refused(
    forked: PolicyRepo, tmp_path: Path
) -> None:
    before = forked.head
    forked.repo.git("merge", "-q", "--no-commit", "--no-ff", "side")
    forked.edit(BUDGET_PATH, AMBER.format("0.15"), AMBER.format("0.30"))
    refused = forked.commit("Merge branch 'side'")
    assert refused.code != 0
    assert "amber_rate_max" in refused.err
    forked.sneak("Merge branch 'side'")
    assert len(forked.repo.git("rev-parse", "HEAD^@").split()) == 2
    refused_after_commit(forked, tmp_path, before)


def test_a_merge_that_changes_no_policy_goes_through(forked: PolicyRepo) -> None:
    assert merge(forked, "--no-ff", "side")
    assert forked.repo.try_git("push", "-q", "origin", "main").returncode == 0


@pytest.mark.attack("A11", "merge")
def test_a_merge_of_an_approved_loosening_goes_through(made: PolicyRepo, tmp_path: Path) -> None:
    """The other way round: what was approved on a branch needs nobody again for the merge."""
    serve(made, tmp_path / "server.git")
    made.repo.branch("proposal")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.land("loosen", approver="pat")
    made.repo.git("checkout", "-q", "main")
    made.repo.commit_files({"src/main.py": "main\n"})
    assert merge(made, "--no-ff", "proposal")
    assert made.repo.try_git("push", "-q", "origin", "main").returncode == 0


@pytest.fixture
def other(forked: PolicyRepo, tmp_path: Path) -> GitRepository:
    """Another clone, whose main went on from where this one's was."""
    other = clone(GitRepository(tmp_path / "server.git", forked.repo.environ), tmp_path / "other")
    other.git("config", "agentpolicy.root", forked.pin)
    PolicyRepo(other).must("hook", "install")
    other.commit_files({"src/other.py": "other\n"})
    forked.repo.git("push", "-q", "origin", "main")
    other.git("fetch", "-q")
    return other


@pytest.mark.attack("A15", "pre-push", "push")
def test_a15_the_old_tip_as_second_parent_is_refused_with_the_way_out(
    other: GitRepository,
) -> None:
    server = other.git("ls-remote", "origin")
    other.git("merge", "-q", "--no-edit", "origin/main")
    for bypass in ((), ("--no-verify",)):
        pushed = other.try_git("push", "-q", *bypass, "origin", "main")
        assert pushed.returncode != 0
        assert b"git pull --rebase" in pushed.stderr
        assert b"git merge --no-ff" in pushed.stderr
    assert other.git("ls-remote", "origin") == server
    other.git("reset", "-q", "--hard", "HEAD^")
    other.git("rebase", "-q", "origin/main")
    other.git("push", "-q", "origin", "main")
