"""A state put together from what commits change is the state that reading all of a commit gives."""

from pathlib import Path

import pytest
from agentpolicy.base.instant import parse_instant
from agentpolicy.gitio.objects import Objects
from agentpolicy.loading.snapshot import ReadCache
from agentpolicy.workflows.policy_chain import pin_of, walk
from agentpolicy.workflows.policy_steps import by_heart
from agentpolicy.workflows.snapshots import guarded_by, snapshot_at
from tests.policy_repo import BAND_PATH, BUDGET_PATH, ROLES_PATH, PolicyRepo, begin

AT = parse_instant("2026-12-31T00:00:00Z")


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """A history with documents that come, change, become unreadable and go."""
    made = begin(tmp_path / "repo")
    made.edit(BUDGET_PATH, "pass_rate_min:  0.90", "pass_rate_min:  0.95")
    made.land("tighter")
    other = (made.path / BAND_PATH).read_text().replace("band_version: 2", "band_version: 1")
    made.repo.write("policies/bands/other-agent.yaml", other)
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == 0
    assert made.commit("another band").code == 0
    roles = (made.path / ROLES_PATH).read_text().replace("roles_version: 1", "roles_version: 2")
    made.repo.write(ROLES_PATH, roles + "guarded: [ci.yml]\n")
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == made.approve("priya").code == 0
    assert made.commit("guard the pipeline").code == 0
    made.repo.write("ci.yml", "run: everything\n")
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == made.approve("priya").code == 0
    assert made.commit("a pipeline").code == 0
    made.repo.write("code.txt", "nothing governed")
    made.sneak("code")
    good = made.head
    made.repo.write("policies/approvals/zz.json", "{}")
    made.sneak("an approval where none belongs")
    made.repo.write(BAND_PATH, "band_version: [\n")
    made.sneak("unreadable")
    (made.path / "ci.yml").unlink()
    made.sneak("no pipeline")
    made.repo.git("rm", "-q", "policies/bands/other-agent.yaml")
    made.sneak("deleted")
    made.repo.git("restore", f"--source={good}", "--staged", "--worktree", ".")
    made.sneak("as it was")
    made.edit(BUDGET_PATH, "pass_rate_min:  0.95", "pass_rate_min:  0.97")
    made.land("tighter still")
    return made


def test_every_state_is_the_one_its_commit_holds(made: PolicyRepo) -> None:
    repository = made.repo.open()
    pin = pin_of(repository)
    commits = made.repo.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
    with Objects(repository) as objects:
        whole = walk(objects, pin, commits[-1], AT)
        assert [commit.oid for commit in whole.commits] == commits
        assert list(whole.refused) == commits[-6:-2]
        for tip in commits:
            chain = walk(objects, pin, tip, AT)
            assert chain.state_commit is not None
            commit = objects.commit(chain.state_commit)
            expected = snapshot_at(objects, commit, guarded_by(chain.state), ReadCache())
            assert by_heart(chain.state) == expected


def test_going_on_from_a_chain_that_was_walked_gives_the_same_chain(made: PolicyRepo) -> None:
    repository = made.repo.open()
    pin = pin_of(repository)
    commits = made.repo.git("rev-list", "--first-parent", "--reverse", "HEAD").split()
    with Objects(repository) as objects:
        whole = walk(objects, pin, commits[-1], AT)
        for middle in commits[:-1]:
            known = walk(objects, pin, middle, AT)
            chain = walk(objects, pin, commits[-1], AT, known=known)
            assert by_heart(chain.state) == by_heart(whole.state)
            assert chain.state_commit == whole.state_commit
            assert {c: a for c, a in whole.refused.items() if c in chain.refused}.keys() == (
                chain.refused.keys()
            )
            assert chain.authority == whole.authority or chain.whole
