"""The hooks decide the same in every kind of repository, and are installed where git looks."""

from pathlib import Path

import pytest
from tests.policy_repo import (
    BAND,
    BAND_PATH,
    BUDGET_PATH,
    KEYS,
    ROLES_PATH,
    PolicyRepo,
    begin,
    serve,
)
from tests.repositories import (
    GitRepository,
    clone,
    linked_worktree,
    make_repository,
    make_server,
)

TIGHTER = ("amber_rate_max: 0.15", "amber_rate_max: 0.10")
LOOSER = ("amber_rate_max: 0.15", "amber_rate_max: 0.90")
OTHERS = '#!/bin/sh\necho here >>"$(git rev-parse --git-dir)/was"\n'


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def decides(made: PolicyRepo) -> None:
    """Show that a loosening is refused here, and that a tightening lands."""
    before = made.head
    made.edit(BUDGET_PATH, *LOOSER)
    assert made.sign().code == 0
    refused = made.commit("loosen")
    assert refused.code != 0
    assert "needs the signature of platform-owner" in refused.err
    assert made.head == before
    made.repo.git("reset", "-q", "--hard")
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighten")


def test_in_a_linked_worktree_on_the_policy_ref(made: PolicyRepo, tmp_path: Path) -> None:
    made.repo.git("checkout", "-q", "--detach")
    made.repo.git("worktree", "add", "-q", str(tmp_path / "linked"), "main")
    linked = PolicyRepo(GitRepository(tmp_path / "linked", made.repo.environ))
    assert linked.must("hook", "status").out.count(": installed\n") == 3
    decides(linked)


def test_in_a_linked_worktree_on_another_branch_a_proposal_can_be_saved(
    made: PolicyRepo, tmp_path: Path
) -> None:
    linked = PolicyRepo(linked_worktree(made.repo, tmp_path / "linked", "proposal"))
    linked.edit(BUDGET_PATH, *LOOSER)
    saved = linked.commit("loosen")
    assert saved.code == 0
    assert "still missing before this can land" in saved.err
    linked.repo.write(BAND_PATH, BAND + "nonsense: 1\n")
    assert linked.commit("cannot be read").code != 0


def test_in_a_submodule(made: PolicyRepo, tmp_path: Path) -> None:
    above = make_repository(tmp_path / "above")
    above.git(
        "-c", "protocol.file.allow=always",
        "submodule", "--quiet", "add", "-b", "main", str(made.path), "agents",
    )  # fmt: skip
    below = PolicyRepo(GitRepository(above.path / "agents", above.environ))
    below.repo.git("config", "agentpolicy.root", made.pin)
    below.must("hook", "install")
    assert (above.path / ".git/modules/agents/hooks/pre-commit").exists()
    assert not (above.path / ".git/hooks/pre-commit").exists()
    decides(below)
    above.git("add", "agents")
    above.commit("move the submodule")


def test_in_a_repository_of_sha256_up_to_its_server(tmp_path: Path) -> None:
    made = PolicyRepo(make_repository(tmp_path / "repo", object_format="sha256"))
    people = [f"--person={name}={KEYS / name}.pub" for name in ("alice", "pat")]
    made.must("init", *people, "--platform-owner=pat", "--owner=bands/refund-agent=alice")
    made.must("hook", "install")
    made.repo.write(BAND_PATH, BAND)
    assert made.commit("nobody signed").code != 0  # and there is no commit at all yet
    first = made.land("first", approver="pat")
    assert len(first) == 64
    server = GitRepository(tmp_path / "server.git", made.repo.environ)
    server.path.mkdir()
    server.git("init", "-q", "--bare", "-b", "main", "--object-format=sha256")
    made.must(
        "hook", "install", "--mode", "server", "--git-dir", str(server.path), "--root", made.pin
    )
    made.repo.git("remote", "add", "origin", str(server.path))
    made.repo.git("push", "-q", "origin", "main")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.50")
    assert made.sign().code == 0
    assert made.commit("loosen").code != 0
    made.sneak("loosen")
    for bypass in ((), ("--no-verify",)):
        assert made.repo.try_git("push", "-q", *bypass, "origin", "main").returncode != 0
    assert server.oid("main") == first


def test_in_a_shallow_clone_nothing_is_decided_and_the_fetch_is_named(
    made: PolicyRepo, tmp_path: Path
) -> None:
    made.edit(BUDGET_PATH, *TIGHTER)
    made.land("tighten")
    made.repo.git("config", "agentpolicy.root", made.pin)
    shallow = PolicyRepo(clone(made.repo, tmp_path / "shallow", "--depth=1"))
    shallow.repo.git("config", "agentpolicy.root", made.pin)
    shallow.must("hook", "install")
    shallow.edit(BUDGET_PATH, "amber_rate_max: 0.10", "amber_rate_max: 0.05")
    shallow.repo.git("add", "-A")
    refused = shallow.repo.try_git("commit", "-m", "tighten")
    assert refused.returncode != 0
    assert b"git fetch --unshallow" in refused.stderr
    shallow.repo.git("fetch", "-q", "--unshallow")
    assert shallow.sign().code == 0
    assert shallow.commit("tighten").code == 0


def test_on_a_detached_head_a_proposal_can_be_saved(made: PolicyRepo) -> None:
    made.repo.git("checkout", "-q", "--detach")
    made.edit(BUDGET_PATH, *LOOSER)
    assert made.commit("loosen").code == 0


def test_under_another_name_for_the_policy_ref_it_is_the_policy_ref(made: PolicyRepo) -> None:
    made.repo.git("symbolic-ref", "refs/heads/master", "refs/heads/main")
    made.repo.git("symbolic-ref", "HEAD", "refs/heads/master")
    decides(made)


@pytest.fixture
def released(made: PolicyRepo) -> PolicyRepo:
    """A trust root that also protects a release branch."""
    made.edit(ROLES_PATH, "[refs/heads/main]", "[refs/heads/main, refs/heads/release]")
    for ran in (made.sign("alice"), made.approve("pat"), made.approve("priya")):
        assert ran.code == 0, ran
    committed = made.commit("protect the release branch")
    assert committed.code == 0, committed
    return made


def test_another_protected_ref_may_only_carry_states_that_the_policy_ref_admitted(
    released: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(released, tmp_path / "server.git")
    older = released.head
    released.edit(BUDGET_PATH, *TIGHTER)
    released.land("tighten")
    push = ("push", "-q", "origin")
    released.repo.git(*push, "main:release", "main")
    released.repo.branch("fix")
    released.repo.commit_files({"src/fix.py": "fix\n"})
    released.repo.git(*push, "fix:release")
    released.edit(BUDGET_PATH, "amber_rate_max: 0.10", "amber_rate_max: 0.01")
    assert released.sign().code == 0
    assert released.commit("tighten here first").code == 0
    before = server.git("for-each-ref")
    for bypass in ((), ("--no-verify",)):
        for refspec in ("fix:release", ":release", f"+{older}:release"):
            refused = released.repo.try_git(*push, *bypass, refspec)
            assert refused.returncode != 0, refspec
            assert b"refs/heads/release" in refused.stderr
    assert server.git("for-each-ref") == before
    released.repo.git("checkout", "-q", "main")
    released.repo.git("merge", "-q", "--ff-only", "fix")
    released.repo.git(*push, "main", "fix:release")


@pytest.mark.parametrize("mode", ["local", "server"])
def test_hooks_that_were_there_run_first_and_come_back_byte_for_byte(
    tmp_path: Path, made: PolicyRepo, mode: str
) -> None:
    there = make_server(tmp_path / "server.git") if mode == "server" else made.repo
    made.must("hook", "uninstall")
    folder = there.path / ("hooks" if mode == "server" else ".git/hooks")
    folder.mkdir(exist_ok=True)
    names = ("pre-receive",) if mode == "server" else ("pre-commit", "pre-push")
    for name in names:
        (folder / name).write_text(OTHERS)
        (folder / name).chmod(0o750)
    real = tmp_path / "shared-hook"
    real.write_text(OTHERS)
    (folder / "pre-merge-commit").symlink_to(real)
    before = {path.name: (path.lstat().st_mode, path.read_bytes()) for path in folder.iterdir()}
    at = ("--mode", mode, "--git-dir", str(there.path))
    made.must("hook", "install", *at, "--root", made.pin)
    installed = {path.name for path in folder.iterdir()}
    assert {f"{name}.before-agentpolicy" for name in names} < installed
    made.must("hook", "install", *at)
    assert {path.name for path in folder.iterdir()} == installed
    if mode == "server":
        made.repo.git("push", "-q", str(there.path), "main")
        assert (there.path / "was").read_text() == "here\n"
    else:
        decides(made)
        assert (made.path / ".git/was").read_text() == "here\n" * 2
    made.must("hook", "uninstall", *at)
    after = {path.name: (path.lstat().st_mode, path.read_bytes()) for path in folder.iterdir()}
    assert after == before
    assert (folder / "pre-merge-commit").readlink() == real


@pytest.mark.parametrize("where", [".githooks", "~/hooks", "absolute"])
def test_a_hooks_path_of_the_repository_is_honoured(
    made: PolicyRepo, tmp_path: Path, where: str
) -> None:
    made.must("hook", "uninstall")
    folder = {".githooks": made.path / ".githooks", "~/hooks": tmp_path / "hooks"}.get(
        where, tmp_path / "elsewhere"
    )
    made.repo.git("config", "core.hooksPath", str(folder) if where == "absolute" else where)
    below = made.repo.write("sub/x", "x").parent
    PolicyRepo(GitRepository(below, made.repo.environ)).must("hook", "install")
    assert {path.name for path in folder.iterdir()} == {
        "pre-commit", "pre-merge-commit", "pre-push",
    }  # fmt: skip
    made.repo.git("add", "-A")
    made.repo.git("commit", "-q", "-m", "hooks")
    decides(made)
