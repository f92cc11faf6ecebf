"""Attacks with trees that no ordinary command makes: the same bytes under another mode."""

from pathlib import Path

import pytest
from tests.policy_repo import (
    BAND_PATH,
    BUDGET_PATH,
    KEYS,
    ROLES_PATH,
    PolicyRepo,
    begin,
    green_run,
    serve,
    write_runs,
)

SYMLINK, SUBMODULE = "120000", "160000"


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    return begin(tmp_path / "repo")


def crafted(made: PolicyRepo, *entries: tuple[str, str, str]) -> str:
    """Commit index entries (mode, id, path) past every hook, and check them out."""
    for mode, oid, path in entries:
        made.repo.git("update-index", "--add", "--cacheinfo", f"{mode},{oid},{path}")
    tree = made.repo.git("write-tree")
    commit = made.repo.git("commit-tree", tree, "-p", "HEAD", "-m", "crafted")
    made.repo.git("reset", "-q", "--hard", commit)
    return commit


def is_refused(made: PolicyRepo, tmp_path: Path, base: str, head: str) -> None:
    assert made.check(base, head).code in {1, 2}
    assert made.repo.try_git("push", "-q", "--no-verify", "origin", "main").returncode != 0
    assert made.gate(write_runs(tmp_path / "runs.jsonl", [green_run(1)])).code == 3


@pytest.mark.attack("D5", "check", "push", "gate")
@pytest.mark.parametrize("mode", [SYMLINK, "100664"])
@pytest.mark.parametrize("path", [ROLES_PATH, BAND_PATH, BUDGET_PATH])
def test_the_same_bytes_under_another_mode_are_not_the_same_state(
    made: PolicyRepo, tmp_path: Path, mode: str, path: str
) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    head = crafted(made, (mode, made.repo.oid(f"HEAD:{path}"), path)) if mode == SYMLINK else None
    if head is None:
        listing = made.repo.git("ls-tree", "HEAD:" + path.rpartition("/")[0])
        name = path.rpartition("/")[2]
        lines = listing.splitlines()
        changed = [
            line.replace("100644", mode, 1) if line.endswith(f"\t{name}") else line
            for line in lines
        ]
        head = crafted_folder(made, path.rpartition("/")[0], "\n".join(changed) + "\n")
    is_refused(made, tmp_path, before, head)


@pytest.mark.attack("D5", "commit")
@pytest.mark.parametrize("kind", ["file", "folder", "submodule"])
def test_what_is_no_plain_file_is_refused_at_commit(made: PolicyRepo, kind: str) -> None:
    path = "policies/bands/other-agent.yaml" if kind != "folder" else "policies/budgets"
    if kind == "submodule":
        made.repo.git("update-index", "--add", "--cacheinfo", f"{SUBMODULE},{made.head},{path}")
    else:
        if kind == "folder":
            made.repo.git("mv", path, "elsewhere")
        (made.path / path).symlink_to("../elsewhere" if kind == "folder" else "refund-agent.yaml")
        made.repo.git("add", "-A")
    committed = made.repo.try_git("commit", "-q", "-m", "odd")
    assert committed.returncode != 0
    assert path.encode() in committed.stderr


def crafted_folder(made: PolicyRepo, folder: str, listing: str) -> str:
    """Put another tree in place of a folder, up to the root."""
    tree = made.repo.git("mktree", stdin=listing.encode())
    while folder:
        parent, _, name = folder.rpartition("/")
        above = made.repo.git("ls-tree", f"HEAD:{parent}" if parent else "HEAD").splitlines()
        kept = [line for line in above if not line.endswith(f"\t{name}")]
        text = "\n".join([*kept, f"040000 tree {tree}\t{name}"]) + "\n"
        tree = made.repo.git("mktree", stdin=text.encode())
        folder = parent
    commit = made.repo.git("commit-tree", tree, "-p", "HEAD", "-m", "crafted")
    made.repo.git("update-ref", "refs/heads/main", commit)
    return commit


@pytest.mark.attack("D5", "check", "push", "gate")
@pytest.mark.parametrize("mode", [SYMLINK, SUBMODULE])
def test_an_approval_that_is_no_file_does_not_enter(
    made: PolicyRepo, tmp_path: Path, mode: str
) -> None:
    serve(made, tmp_path / "server.git")
    before = made.head
    oid = made.repo.oid("HEAD") if mode == SUBMODULE else made.repo.oid(f"HEAD:{ROLES_PATH}")
    path = f"policies/approvals/aa/{'aa' * 32}.json"
    is_refused(made, tmp_path, before, crafted(made, (mode, oid, path)))


def test_a_trust_root_hidden_for_one_commit_is_not_a_new_beginning(
    made: PolicyRepo, tmp_path: Path
) -> None:
    """A step without roles, then roles judged as if they were the first: the old ones stay."""
    server = serve(made, tmp_path / "server.git")
    before = made.head
    crafted(made, (SYMLINK, made.repo.oid(f"HEAD:{ROLES_PATH}"), ROLES_PATH))
    made.repo.git("rm", "-q", "--cached", ROLES_PATH)
    (made.path / ROLES_PATH).unlink()
    text = made.repo.git("show", f"{before}:{ROLES_PATH}") + "\n"
    made.repo.write(ROLES_PATH, text.replace("[pat, priya]", "[pat]"))
    made.sneak("begin again")
    assert made.repo.try_git("push", "-q", "--no-verify", "origin", "main").returncode != 0
    assert server.oid("refs/heads/main") == before


@pytest.fixture
def guarding(made: PolicyRepo) -> PolicyRepo:
    """A repository whose trust root guards ci.yml."""
    made.repo.write("ci.yml", "on: push\n")
    assert made.commit("ci").code == 0
    guard(made, "ci.yml")
    return made


def guard(made: PolicyRepo, path: str) -> None:
    made.edit(ROLES_PATH, "people:\n", f'guarded: ["{path}"]\npeople:\n')
    assert made.sign("alice").code == 0
    assert made.approve("pat").code == 0
    assert made.approve("priya").code == 0
    landed = made.commit("guard")
    assert landed.code == 0, landed


@pytest.mark.attack("C9", "commit", "check", "push", "gate")
def test_a_guarded_file_does_not_change_without_the_platform_owners(
    guarding: PolicyRepo, tmp_path: Path
) -> None:
    serve(guarding, tmp_path / "server.git")
    before = guarding.head
    guarding.edit("ci.yml", "push", "never")
    assert guarding.commit("switch off").code != 0
    is_refused(guarding, tmp_path, before, guarding.sneak())


@pytest.mark.attack("C9", "check", "push", "gate")
@pytest.mark.parametrize("mode", [SYMLINK, SUBMODULE])
def test_a_guarded_file_does_not_become_something_else(
    guarding: PolicyRepo, tmp_path: Path, mode: str
) -> None:
    serve(guarding, tmp_path / "server.git")
    before = guarding.head
    oid = before if mode == SUBMODULE else guarding.repo.oid("HEAD:ci.yml")
    is_refused(guarding, tmp_path, before, crafted(guarding, (mode, oid, "ci.yml")))


@pytest.mark.attack("C9", "commit", "check", "push", "gate")
def test_a_guarded_file_that_becomes_a_folder_is_refused_and_can_be_put_right(
    guarding: PolicyRepo, tmp_path: Path
) -> None:
    serve(guarding, tmp_path / "server.git")
    before = guarding.head
    (guarding.path / "ci.yml").unlink()
    guarding.repo.write("ci.yml/x", "on: never\n")
    assert guarding.commit("folder").code != 0
    is_refused(guarding, tmp_path, before, guarding.sneak())
    (guarding.path / "ci.yml" / "x").unlink()
    (guarding.path / "ci.yml").rmdir()
    guarding.repo.write("ci.yml", "on: push\n")
    assert guarding.commit("put right").code == 0
    assert guarding.repo.try_git("push", "-q", "origin", "main").returncode == 0


@pytest.mark.parametrize(
    "name", ["./ci.yml", "ci.yml/", "a//b", "/etc/hostname", "../x", ".git/config", "policies"]
)
def test_a_guarded_name_that_git_never_has_is_refused(made: PolicyRepo, name: str) -> None:
    made.edit(ROLES_PATH, "people:\n", f'guarded: ["{name}"]\npeople:\n')
    made.sign("alice")
    made.approve("pat")
    made.approve("priya")
    committed = made.commit("guard nothing")
    assert committed.code != 0
    assert "guards nothing" in committed.err


def test_a_folder_is_not_put_under_guard(made: PolicyRepo) -> None:
    made.repo.write("ci/x", "on: push\n")
    assert made.commit("ci").code == 0
    made.edit(ROLES_PATH, "people:\n", 'guarded: ["ci"]\npeople:\n')
    assert made.sign("alice").code == 2
    assert made.commit("guard a folder").code != 0


def test_a_branch_whose_name_ends_like_the_policy_ref_confirms_nothing(
    made: PolicyRepo, tmp_path: Path
) -> None:
    server = serve(made, tmp_path / "server.git")
    old = made.head
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    made.land("tighten")
    made.repo.git("push", "-q", "origin", "main")
    made.repo.git("config", "agentpolicy.root", f"{made.pin};remote={server.path}")
    made.repo.git("push", "-q", "origin", f"{old}:refs/heads/a/refs/heads/main")
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(1)])
    assert made.gate(runs).json["policy"]["state"] == "in_force"
    made.repo.git("reset", "-q", "--hard", old)
    judged = made.gate(runs)
    assert judged.code == 3
    assert judged.json["policy"]["state"] == "unconfirmed"


def test_a_pinned_commit_that_holds_what_cannot_be_read_decides_nothing(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.repo.write("policies/waivers/odd.yaml", "nothing")
    odd = made.sneak()
    pin = f"{made.pin};commit={odd}"
    made.repo.git("config", "agentpolicy.root", pin)
    ran = made.run("check", "--staged")
    assert ran.code == 3
    assert "holds what cannot be read" in ran.err
    assert KEYS.exists()
