"""Hooks never prompt, never wait, need nothing but git, and touch nothing."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.policy_repo import BUDGET_PATH, PolicyRepo, begin, serve

HOOKS = ("pre-commit", "pre-merge-commit", "pre-push", "pre-receive")
LOOSER = ("amber_rate_max: 0.15", "amber_rate_max: 0.90")
POOR = {"PATH": "/usr/bin:/bin", "TERM": "", "DISPLAY": ""}
TRAPS = (
    "yaml", "json", "subprocess", "hashlib", "base64", "cryptography", "jsonschema_rs",
    "sitecustomize", "usercustomize", "agentpolicy/__init__", "agentpolicy/__main__",
    "encodings/__init__", "os", "git",
)  # fmt: skip


@pytest.fixture(params=HOOKS)
def hook(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def made(tmp_path: Path, hook: str) -> PolicyRepo:
    """A repository in which `provoke` makes git ask the hook about a loosening."""
    made = begin(tmp_path / "repo")
    serve(made, tmp_path / "server.git")
    if hook == "pre-commit":
        made.edit(BUDGET_PATH, *LOOSER)
        made.repo.git("add", "-A")
        return made
    made.repo.branch("loose")
    made.edit(BUDGET_PATH, *LOOSER)
    made.sneak("loosen")
    made.repo.git("checkout", "-q", "main")
    return made


PROVOKED_BY = {
    "pre-commit": ("commit", "-m", "loosen"),
    "pre-merge-commit": ("merge", "--no-ff", "--no-edit", "loose"),
    "pre-push": ("push", "origin", "loose:main"),
    "pre-receive": ("push", "--no-verify", "origin", "loose:main"),
}


@pytest.fixture
def never_ends() -> Iterator[int]:
    """An input that stays open and says nothing."""
    reading, writing = os.pipe()
    yield reading
    os.close(reading)
    os.close(writing)


def provoke(made: PolicyRepo, hook: str, stdin: int, env: dict[str, str]) -> str:
    """Let git ask a hook without any terminal; give what was said when it refused."""
    done = subprocess.run(
        ["git", *PROVOKED_BY[hook]],
        cwd=made.path,
        env={**made.repo.environ, **env},
        stdin=stdin,
        capture_output=True,
        check=False,
        timeout=30,
        start_new_session=True,
    )
    assert done.returncode != 0, done
    said = done.stderr.decode()
    assert f"agentpolicy: {hook} refuses this" in said
    assert "/gate/aggregate/amber_rate_max" in said
    return said


def test_it_neither_waits_for_an_open_input_nor_needs_a_terminal_or_a_path(
    made: PolicyRepo, hook: str, never_ends: int
) -> None:
    said = provoke(made, hook, never_ends, POOR)
    assert "\x1b[" not in said


def test_it_imports_nothing_that_lies_where_it_runs(
    made: PolicyRepo, hook: str, never_ends: int, tmp_path: Path
) -> None:
    trapped = tmp_path / "trapped"
    places = (made.path, made.path / ".git", tmp_path / "server.git", made.path / ".git/hooks")
    for place in places:
        for name in TRAPS:
            trap = place / f"{name}.py"
            trap.parent.mkdir(exist_ok=True)
            trap.write_text(f"open({str(trapped)!r}, 'w')\n")
    path = os.pathsep.join(str(place) for place in places)
    provoke(made, hook, never_ends, {**POOR, "PYTHONPATH": path, "PYTHONSTARTUP": "yaml.py"})
    assert not trapped.exists()


def everything_in(folder: Path) -> dict[str, tuple[int, str]]:
    """Give each file with its time and its content."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mtime_ns,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("answer", ["refused", "admitted"])
def test_it_touches_neither_index_nor_work_tree_nor_anything_git_keeps(
    made: PolicyRepo, hook: str, tmp_path: Path, answer: str
) -> None:
    tip = made.repo.oid("main" if hook == "pre-commit" or answer == "admitted" else "loose")
    if answer == "admitted":
        made.repo.git("reset", "-q", "--hard", "main")
    elif hook == "pre-merge-commit":
        made.repo.git("merge", "-q", "--no-ff", "--no-commit", "loose")
    os.utime(made.path / BUDGET_PATH, (1, 1))  # the index would be refreshed for this, if ever
    where = tmp_path / "server.git" if hook == "pre-receive" else made.path
    hooks = where / "hooks" if hook == "pre-receive" else where / ".git/hooks"
    old = made.repo.oid("main")
    told = {
        "pre-push": f"refs/heads/x {tip} refs/heads/main {old}\n",
        "pre-receive": f"{old} {tip} refs/heads/main\n",
    }.get(hook, "")
    env = dict(made.repo.environ)
    if hook == "pre-receive":  # as git sets it for objects that are not taken in yet
        quarantine = {
            "GIT_DIR": ".",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{made.path}/.git/objects",
        }
        env |= quarantine
    before = everything_in(tmp_path)
    ran = subprocess.run(
        [hooks / hook],
        cwd=where,
        env=env,
        input=told.encode(),
        capture_output=True,
        check=False,
        timeout=30,
    )
    assert ran.returncode == (1 if answer == "refused" else 0), ran
    assert everything_in(tmp_path) == before


def test_the_interpreter_of_the_stubs_is_this_one(made: PolicyRepo, hook: str) -> None:
    place = made.path / ".git/hooks" / hook
    if hook == "pre-receive":
        place = made.path.parent / "server.git/hooks" / hook
    assert f"python={sys.executable} " in place.read_text()
