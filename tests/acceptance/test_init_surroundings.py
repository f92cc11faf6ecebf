"""`init` writes what stands around the policies: CODEOWNERS, editor lines and the CI check."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest
import yaml
from agentpolicy.documents.document import DocumentKind
from tests.policy_repo import BAND, BAND_PATH, KEYS, ROLES_PATH, PolicyRepo
from tests.repositories import make_repository, make_server

GITHUB, GITLAB = ".github/workflows/agentpolicy.yml", ".gitlab-ci.yml"


def started(path: Path, *more: str) -> PolicyRepo:
    made = PolicyRepo(make_repository(path))
    people = [f"--person={name}={KEYS / name}.pub" for name in ("alice", "pat", "priya", "ria")]
    made.must(
        "init", *people, "--platform-owner=pat", "--platform-owner=priya", "--reviewer=ria",
        "--owner=bands/refund-agent=alice", *more,
    )  # fmt: skip
    return made


def test_codeowners_names_the_people_and_keeps_what_was_there(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    repo.write(".github/CODEOWNERS", "*.md @docs\n")
    made = started(tmp_path / "repo")
    text = (made.path / ".github/CODEOWNERS").read_text()
    assert text.startswith("*.md @docs\n")
    lines = [line.split() for line in text.splitlines()]
    assert ["/policies/bands/refund-agent.yaml", "@alice", "@pat", "@priya"] in lines
    assert not (made.path / "CODEOWNERS").exists()
    assert made.must("codeowners").out == text
    made.must("codeowners", "--check")


def test_codeowners_that_fell_behind_is_refused_and_brought_up_to_date(tmp_path: Path) -> None:
    made = started(tmp_path / "repo")
    made.edit(ROLES_PATH, 'handle: "@pat"', 'handle: "@pat-of-platform"')
    with (made.path / "CODEOWNERS").open("a") as file:
        file.write("*.yaml @somebody\n")
    refused = made.run("codeowners", "--check", "--format", "json")
    assert refused.code == 1
    codes = {problem["code"] for problem in refused.json["problems"]}
    assert codes == {"codeowners-stale", "codeowners-shadowed"}
    assert all(problem["hint"] for problem in refused.json["problems"])
    made.must("codeowners", "--write")
    text = (made.path / "CODEOWNERS").read_text()
    assert "@pat-of-platform" in text
    assert text.index("*.yaml @somebody") < text.index("/policies/")
    assert made.must("codeowners", "--write").err == "already up to date\n"


def test_editors_find_a_schema_by_the_first_line(tmp_path: Path) -> None:
    made = started(tmp_path / "repo")
    for name in ("roles", "tools"):
        place = made.path / f"policies/{name}.yaml"
        first = place.read_text().split("\n")[0]
        found = re.fullmatch(r"# yaml-language-server: \$schema=(\S+)", first)
        assert found
        schema = (place.parent / found[1]).resolve()
        assert schema == (made.path / f".agentpolicy/schemas/{name}.schema.json").resolve()
    copies = {path.name for path in (made.path / ".agentpolicy/schemas").iterdir()}
    assert copies == {f"{kind}.schema.json" for kind in DocumentKind}


def test_a_schema_copy_that_was_changed_lets_nothing_through(tmp_path: Path) -> None:
    made = started(tmp_path / "repo")
    (made.path / ".agentpolicy/schemas/band.schema.json").write_text("{}")
    made.repo.write(BAND_PATH, BAND + "anything: goes\n")
    assert made.run("validate").code == 2


@pytest.mark.parametrize(("host", "place"), [("github", GITHUB), ("gitlab", GITLAB)])
def test_the_ci_file_is_guarded_and_holds_no_pin(tmp_path: Path, host: str, place: str) -> None:
    made = started(tmp_path / "repo", "--ci", host)
    text = (made.path / place).read_text()
    assert "agentpolicy check --base" in text
    assert "AGENTPOLICY_ROOT" in text
    assert "sha256:" not in text
    assert not re.search("@[A-Z]+@", text)
    assert f"guarded: [{place}]" in (made.path / ROLES_PATH).read_text()
    assert f"/{place} " in (made.path / "CODEOWNERS").read_text()


def test_a_ci_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    repo = make_repository(tmp_path / "repo")
    repo.write(GITLAB, "test: {script: make}\n")
    made = PolicyRepo(repo)
    refused = made.run(
        "init", f"--person=pat={KEYS / 'pat'}.pub", "--platform-owner=pat", "--ci=gitlab"
    )
    assert refused.code == 2
    assert (made.path / GITLAB).read_text() == "test: {script: make}\n"
    assert not (made.path / ROLES_PATH).exists()


class Host:
    """A host as far as the CI file sees it: a bare repository, and a runner with a fresh clone."""

    def __init__(self, tmp_path: Path, host: str) -> None:
        self.made = started(tmp_path / "repo", "--ci", host)
        self.made.repo.write(BAND_PATH, BAND)
        self.made.land("first policy", approver="pat")
        self.server = make_server(tmp_path / "server.git")
        self.made.repo.git("remote", "add", "origin", str(self.server.path))
        self.made.repo.git("push", "-q", "origin", "main")
        self.runner = tmp_path / "runner"
        self.tools = tmp_path / "tools"
        self.tools.mkdir()
        for name, body in (
            ("agentpolicy", f'exec "{sys.executable}" -m agentpolicy "$@"'),
            ("python", "exit 0 # installs nothing: the command is there"),
        ):
            (self.tools / name).write_text(f"#!/bin/sh\n{body}\n")
            (self.tools / name).chmod(0o755)

    def script(self, steps: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
        self.made.repo.git("clone", "-q", str(self.server.path), str(self.runner))
        made = {**self.made.repo.environ, **environ}
        made["PATH"] = f"{self.tools}:{os.environ['PATH']}"
        return subprocess.run(
            ["bash", "-e", "-c", steps], cwd=self.runner, env=made, capture_output=True, check=False
        )


class Runner(Protocol):
    """One host's way of running the check on a loosening."""

    def __call__(self, host: Host, *, approved: bool) -> subprocess.CompletedProcess[bytes]: ...


def on_github(host: Host, *, approved: bool) -> subprocess.CompletedProcess[bytes]:
    """Make the merge commit that GitHub makes, and run the step as a runner does."""
    made, git = host.made, host.made.repo.git
    git("checkout", "-q", "-b", "loosen")
    change(made, approved=approved)
    git("checkout", "-q", "main")
    git("merge", "-q", "--no-ff", "--no-verify", "-m", "merge result", "loosen")
    git("push", "-q", "--no-verify", "origin", "HEAD:refs/pull/7/merge")
    workflow: Any = yaml.load((made.path / GITHUB).read_text(), yaml.BaseLoader)  # noqa: TID251 - as the host
    (step,) = [step for step in workflow["jobs"]["agentpolicy"]["steps"] if "env" in step]
    assert set(step["env"]) == {"ROOT", "CHANGE", "BASE", "HEAD"}
    return host.script(step["run"], ROOT=made.pin, CHANGE="7", BASE="", HEAD="")


def on_gitlab(host: Host, *, approved: bool) -> subprocess.CompletedProcess[bytes]:
    """Run the job on the head of a merge request's branch."""
    made, git = host.made, host.made.repo.git
    git("checkout", "-q", "-b", "loosen")
    change(made, approved=approved)
    git("push", "-q", "--no-verify", "origin", "loosen")
    jobs: Any = yaml.load((made.path / GITLAB).read_text(), yaml.BaseLoader)  # noqa: TID251 - as the host
    return host.script(
        "\n".join(jobs["agentpolicy"]["script"]), AGENTPOLICY_ROOT=made.pin,
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main", CI_COMMIT_SHA=made.head,
    )  # fmt: skip


def change(made: PolicyRepo, *, approved: bool) -> None:
    made.edit(BAND_PATH, "threshold: 0.92", "threshold: 0.90")
    assert made.sign().code == 0
    if approved:
        assert made.approve("pat").code == 0
    made.sneak("loosen")


@pytest.mark.parametrize(("name", "run"), [("github", on_github), ("gitlab", on_gitlab)])
def test_the_ci_check_refuses_a_loosening_until_it_is_approved(
    tmp_path: Path, name: str, run: Runner
) -> None:
    refused = run(Host(tmp_path / "a", name), approved=False)
    assert refused.returncode == 1, refused.stderr.decode()
    assert b"platform-owner" in refused.stdout
    admitted = run(Host(tmp_path / "b", name), approved=True)
    assert admitted.returncode == 0, (admitted.stdout, admitted.stderr)


def test_the_ci_check_blocks_where_the_variable_is_not_set(tmp_path: Path) -> None:
    host = Host(tmp_path, "gitlab")
    jobs: Any = yaml.load((host.made.path / GITLAB).read_text(), yaml.BaseLoader)  # noqa: TID251 - as the host
    done = host.script(
        "\n".join(jobs["agentpolicy"]["script"]), AGENTPOLICY_ROOT="",
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main", CI_COMMIT_SHA=host.made.head,
    )  # fmt: skip
    assert done.returncode == 3, done.stderr.decode()
