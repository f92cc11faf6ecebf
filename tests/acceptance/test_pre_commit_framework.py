"""The manifest for the pre-commit framework, read and run by the framework itself."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.policy_repo import BUDGET_PATH, PolicyRepo, Ran, begin

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent


def manifest() -> list[dict[str, Any]]:
    entries = yaml.load(MANIFEST.read_text(), yaml.CSafeLoader)  # noqa: TID251 - as the framework reads it
    assert isinstance(entries, list)
    return entries


def test_every_hook_judges_the_whole_and_calls_a_command_that_there_is(made: PolicyRepo) -> None:
    for hook in manifest():
        assert set(hook) >= {"id", "name", "description", "entry", "language"}
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)
        assert hook["require_serial"]
        program, *words = hook["entry"].split()
        assert program == "agentpolicy"
        assert made.run(*words, "--help").code == 0


def test_the_framework_finds_nothing_wrong_with_it(made: PolicyRepo) -> None:
    checked = framework(made, "validate-manifest", str(MANIFEST))
    assert checked.code == 0, checked


@pytest.fixture
def made(tmp_path: Path) -> PolicyRepo:
    """A repository whose commits are judged through the framework alone."""
    made = begin(tmp_path / "repo")
    made.must("hook", "uninstall")
    # installed already here, where the framework would make an environment for it
    hooks = [hook | {"language": "unsupported"} for hook in manifest()]
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    made.repo.write(".pre-commit-config.yaml", yaml.safe_dump(config))
    assert made.commit("use the framework").code == 0
    kinds = [f"--hook-type={kind}" for kind in ("pre-commit", "pre-merge-commit")]
    installed = framework(made, "install", *kinds)
    assert installed.code == 0, installed
    return made


def framework(made: PolicyRepo, *args: str) -> Ran:
    in_place = PolicyRepo(at_home(made).repo)
    done = in_place.repo.try_git("-c", f"alias.framework=!'{BIN}/pre-commit'", "framework", *args)
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


def at_home(made: PolicyRepo) -> PolicyRepo:
    """Put the program on the path, and keep the framework's cache with the test."""
    environ = dict(made.repo.environ)
    path = os.pathsep.join((str(BIN), environ["PATH"]))
    environ |= {"PATH": path, "PRE_COMMIT_HOME": str(made.path.parent / "cache")}
    return PolicyRepo(type(made.repo)(made.path, environ))


@pytest.mark.parametrize("how", ["staged", "all"])
def test_a_loosening_is_refused_and_a_tightening_lands(made: PolicyRepo, how: str) -> None:
    here = at_home(made)
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.90")
    if how == "staged":
        made.repo.git("add", "-A")
    refused = here.repo.try_git("commit", *(["-a"] if how == "all" else []), "-m", "loosen")
    assert refused.returncode != 0
    assert b"amber_rate_max" in refused.stdout + refused.stderr
    made.repo.git("reset", "-q", "--hard")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    assert made.sign().code == 0
    landed = here.commit("tighten")
    assert landed.code == 0, landed


def test_a_merge_is_judged(made: PolicyRepo) -> None:
    here = at_home(made)
    made.repo.branch("loose")
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.90")
    made.sneak("loosen")
    made.repo.git("checkout", "-q", "main")
    merged = here.repo.try_git("merge", "--no-ff", "--no-edit", "loose")
    assert merged.returncode != 0
    assert b"amber_rate_max" in merged.stdout + merged.stderr


def test_its_own_hook_runs_first_when_both_are_installed(made: PolicyRepo) -> None:
    made.must("hook", "install")
    here = at_home(made)
    made.edit(BUDGET_PATH, "amber_rate_max: 0.15", "amber_rate_max: 0.10")
    assert made.sign().code == 0
    landed = here.commit("tighten")
    assert landed.code == 0, landed
    assert "Passed" in landed.said
