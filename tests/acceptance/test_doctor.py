"""`doctor` says what is wired, what is open and what cannot be seen, and touches nothing."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.policy_repo import (
    BAND_PATH,
    KEYS,
    PolicyRepo,
    Ran,
    begin,
    green_run,
    serve,
    write_runs,
)
from tests.repositories import GitRepository, clean_environment, make_repository


def looked(made: PolicyRepo) -> tuple[Ran, dict[str, list[str]]]:
    """Ask doctor, and give what it says by subject: `standing: what`."""
    ran = made.run("doctor", "--format", "json")
    said: dict[str, list[str]] = {}
    for found in ran.json["findings"]:
        said.setdefault(found["about"], []).append(f"{found['standing']}: {found['what']}")
        if found["standing"] != "well" and found["about"] != "ci":
            assert found["hint"], found
    return ran, said


def fingerprint(folder: Path) -> str:
    """Digest every file below a folder, names and contents."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        found.update(f"{path} {path.is_file() and path.read_bytes()!r}\n".encode())
    return found.hexdigest()


def test_a_repository_with_a_server_is_well_and_every_hook_refuses_the_canary(
    tmp_path: Path,
) -> None:
    made = begin(tmp_path / "repo", gate=True)
    serve(made, tmp_path / "server.git")
    ran, said = looked(made)
    assert ran.code == 0
    refusing = [what.split()[1] for what in said["canary"]]
    assert refusing == ["pre-commit", "pre-push", "pre-receive"]
    assert all(what.startswith("well: ") for what in said["canary"])
    assert said["server"][0].startswith("well: pre-receive of ")


def test_nothing_of_the_user_is_touched_whatever_is_staged(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo", gate=True)
    serve(made, tmp_path / "server.git")
    made.repo.stage("half.txt", "half done\n")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.repo.git("checkout", "-q", "-b", "elsewhere")
    before = fingerprint(tmp_path)
    assert made.run("doctor").code == 0
    assert fingerprint(tmp_path) == before


def test_hooks_that_ran_before_ours_are_not_run_by_the_canary(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    for name in ("pre-commit", "pre-push"):
        before = made.path / f".git/hooks/{name}.before-agentpolicy"
        before.write_text(f"#!/bin/sh\ntouch '{tmp_path}/ran'\n")
        before.chmod(0o755)
    assert all(what.startswith("well: ") for what in looked(made)[1]["canary"])
    assert not (tmp_path / "ran").exists()


def test_without_hooks_the_canary_is_said_to_meet_nothing(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.must("hook", "uninstall")
    ran, said = looked(made)
    assert ran.code == 1
    assert said["hooks"] == [
        f"unprotected: {name} is not installed"
        for name in ("pre-commit", "pre-merge-commit", "pre-push")
    ]
    assert said["canary"] == [
        "unprotected: no hook is installed that could refuse a loosening",
    ]


def test_a_stub_that_was_bent_is_found(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    stub = made.path / ".git/hooks/pre-push"
    stub.write_text(stub.read_text().replace("told | ", "exit 0; told | "))
    ran, said = looked(made)
    assert ran.code == 1
    assert said["hooks"][0] == (
        "unprotected: pre-push is installed, but was changed or cannot run any more"
    )
    assert [what.split()[1] for what in said["canary"]] == ["pre-commit"]


def test_a_hook_of_another_version_is_found(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 0.0.9\n")
    python.chmod(0o755)
    for name in ("pre-commit", "pre-merge-commit", "pre-push"):
        stub = made.path / ".git/hooks" / name
        first = next(line for line in stub.read_text().split("\n") if line.startswith("python="))
        ours = first.removeprefix("python=").split(" ")[0]
        stub.write_text(stub.read_text().replace(ours, str(python)))
    ran, said = looked(made)
    assert ran.code == 1
    assert "run version 0.0.9" in said["hooks"][0]
    assert all(what.startswith("unprotected: ") for what in said["canary"])


def test_a_server_without_the_hook_is_open(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    server = serve(made, tmp_path / "server.git")
    made.must("hook", "uninstall", "--mode", "server", "--git-dir", str(server.path))
    ran, said = looked(made)
    assert ran.code == 1
    assert said["server"] == [
        f"unprotected: pre-receive of {server.path} is absent",
        "unprotected: receive.denyNonFastForwards is not set",
        "unprotected: receive.denyDeletes is not set",
    ]
    server.git("config", "receive.denyNonFastForwards", "true")
    server.git("config", "receive.denyDeletes", "true")
    assert len(looked(made)[1]["server"]) == 1


def test_on_the_server_itself_its_own_hook_is_tried(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo", gate=True)
    server = PolicyRepo(serve(made, tmp_path / "server.git"))
    ran, said = looked(server)
    assert ran.code == 0
    assert said["canary"][0].startswith("well: pre-receive refuses it")
    server.must("hook", "uninstall", "--mode", "server")
    ran, said = looked(server)
    assert ran.code == 1
    assert said["server"][0].endswith("server.git is absent")


def test_what_is_on_another_machine_is_said_not_to_be_seen(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.repo.git("remote", "add", "origin", "https://git.example.invalid/acme/agents")
    made.repo.stage(".github/workflows/agentpolicy.yml", "run: agentpolicy check --base B --head H")
    ran, said = looked(made)
    assert said["server"][0].startswith("unknown: https://git.example.invalid/acme/agents")
    assert said["ci"][0].endswith("is not listed under `guarded:` in policies/roles.yaml")
    assert said["ci"][1].startswith("unknown: ")
    assert ran.code == 1
    made.repo.git("rm", "-q", "--cached", ".github/workflows/agentpolicy.yml")
    assert looked(made)[1]["ci"] == ["unprotected: no CI file asks `agentpolicy check`"]


def init(made: PolicyRepo, *more: str) -> None:
    people = [f"--person={name}={KEYS / name}.pub" for name in ("alice", "pat")]
    made.must("init", *people, "--platform-owner=pat", *more)
    made.must("hook", "install")


def test_all_well_but_a_distant_server_is_exit_3(tmp_path: Path) -> None:
    made = PolicyRepo(make_repository(tmp_path / "repo"))
    init(made, "--ci=github")
    before_the_first = made.run("doctor")
    assert before_the_first.code == 3
    assert "no loosening was tried" in before_the_first.out
    made.land("first", approver="pat")
    assert made.run("doctor").code == 0
    made.repo.git("remote", "add", "origin", "git@git.example.invalid:acme/agents.git")
    ran, said = looked(made)
    assert ran.code == 3
    assert said["ci"][0].startswith("unknown: .github/workflows/agentpolicy.yml asks; whether ")
    assert said["canary"][0].endswith("policies/tools.yaml taken out, signed by nobody")


def included(made: PolicyRepo) -> None:
    pin = made.pin
    made.repo.git("config", "--unset", "agentpolicy.root")
    made.repo.stage("settings", f'[agentpolicy]\n\troot = "{pin}"\n')
    made.repo.git("config", "include.path", "../settings")


def in_a_workflow(made: PolicyRepo) -> None:
    made.repo.stage(".github/workflows/x.yml", f"- run: git config agentpolicy.root '{made.pin}'\n")


@pytest.mark.parametrize(
    ("set_so", "says"),
    [(included, "a tracked file"), (in_a_workflow, ".github/workflows/x.yml writes a pin down")],
)
def test_a_pin_from_a_file_under_review_is_open(
    tmp_path: Path, set_so: Callable[[PolicyRepo], None], says: str
) -> None:
    made = begin(tmp_path / "repo")
    set_so(made)
    ran, said = looked(made)
    assert ran.code == 1
    assert any(what.startswith("unprotected: ") and says in what for what in said["pin"])


def test_without_a_pin_nothing_is_in_force(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.repo.git("config", "--unset", "agentpolicy.root")
    ran, said = looked(made)
    assert ran.code == 1
    assert said["pin"][0].startswith("unprotected: no trust root is pinned")
    assert said["canary"][0].startswith("unknown: ")


def test_a_tip_that_got_past_the_hooks_is_named(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    made.sneak()
    ran, said = looked(made)
    assert ran.code == 1
    assert said["policy"][0].startswith("unprotected: the tip of refs/heads/main is not admissible")


def test_a_shallow_clone_could_not_tell(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.94")
    made.land("tighter")
    made.repo.git("clone", "-q", "--depth", "1", f"file://{made.path}", str(tmp_path / "clone"))
    clone = PolicyRepo(GitRepository(tmp_path / "clone", clean_environment(tmp_path)))
    clone.repo.git("config", "agentpolicy.root", made.pin)
    clone.must("hook", "install")
    _, said = looked(clone)
    assert said["policy"][0].startswith("unknown: ")
    assert len(said["canary"]) == 2
    assert all("but not for the missing signature" in what for what in said["canary"])
    assert all(what.startswith("unknown: ") for what in said["canary"])


def test_records_of_the_log_that_are_elsewhere_are_missed(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo", gate=True)
    serve(made, tmp_path / "server.git")
    runs = write_runs(tmp_path / "runs.jsonl", [green_run(number) for number in range(3)])
    assert made.gate(runs, "--record", "--key", str(KEYS / "ci")).code == 0
    made.repo.git("push", "-q", "origin", "agentpolicy/log")
    assert looked(made)[1]["log"] == ["well: agentpolicy/log is here"]
    made.repo.git("update-ref", "-d", "refs/heads/agentpolicy/log")
    ran, said = looked(made)
    assert ran.code == 3
    assert said["log"] == ["unknown: origin has records of the log that are not here"]


def test_roles_that_hang_on_one_key_are_noted(tmp_path: Path) -> None:
    made = PolicyRepo(make_repository(tmp_path / "repo"))
    init(made)
    made.land("first", approver="pat")
    ran, said = looked(made)
    assert ran.code == 0
    assert said["people"] == [
        "note: pat is the only platform owner",
        "note: pat: as many as platform-owner needs, and one of them has one key",
        "note: nobody holds the role gate",
    ]


def test_routing_that_fell_behind_is_a_note_with_its_place(tmp_path: Path) -> None:
    made = begin(tmp_path / "repo")
    with (made.path / "CODEOWNERS").open("a") as file:
        file.write("* @somebody\n")
    ran, said = looked(made)
    assert ran.code == 0
    assert said["routing"][0].startswith("note: CODEOWNERS:")


def test_the_text_is_a_checklist_with_a_reason_and_a_command_for_what_is_open(
    tmp_path: Path,
) -> None:
    made = begin(tmp_path / "repo")
    made.must("hook", "uninstall")
    lines = made.run("doctor").out.splitlines()
    at = next(number for number, line in enumerate(lines) if "pre-push is not installed" in line)
    assert lines[at].startswith("  NO  hooks")
    assert lines[at + 1].strip().startswith("why: git does not ask agentpolicy there")
    assert lines[at + 2].strip() == "next: agentpolicy hook install"
    assert lines[-1].endswith("a change can get past what is marked NO")
