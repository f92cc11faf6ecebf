"""The guided run keeps its four promises, on a machine that has git and nothing else of ours."""

import re
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.policy_repo import Ran

PROGRAMS = ("git", "sh", "cat")
"""All that the guided run may find on its PATH: no ssh-keygen, no editor, no pager."""


def demo(folder: Path, *options: str) -> Ran:
    """Run it as a newcomer does, with no identity, no home, and an empty folder for scratch."""
    programs, scratch = folder / "bin", folder / "scratch"
    programs.mkdir()
    scratch.mkdir()
    for name in PROGRAMS:
        found = shutil.which(name)
        assert found, name
        (programs / name).symlink_to(found)
    done = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "demo", *options],
        cwd=folder,
        env={"PATH": str(programs), "TMPDIR": str(scratch), "HOME": str(folder / "nowhere")},
        capture_output=True,
        check=False,
        timeout=120,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass(frozen=True)
class Shown:
    """One guided run, the processor time it took, and what it left in its scratch folder."""

    ran: Ran
    seconds: float
    left: list[Path]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    folder, begun = tmp_path_factory.mktemp("demo"), spent()
    ran = demo(folder)
    return Shown(ran, spent() - begun, list((folder / "scratch").iterdir()))


def spent() -> float:
    """Give the processor time of all that was run so far: a loaded machine does not stretch it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def test_every_promise_is_kept_in_time_and_nothing_is_left_behind(shown: Shown) -> None:
    assert shown.ran.code == 0, shown.ran.said
    assert re.findall(r"^(\d)\. ", shown.ran.out, re.MULTILINE) == ["1", "2", "3", "4"]
    assert "All 4 promises kept" in shown.ran.out
    assert not shown.ran.err
    assert shown.seconds < 15
    assert shown.left == []


def test_the_page_fits_a_terminal_and_has_no_colour_when_piped(shown: Shown) -> None:
    assert max(map(len, shown.ran.out.splitlines())) <= 100
    assert "\x1b" not in shown.ran.out


def test_what_is_kept_is_a_repository_that_still_answers(tmp_path: Path) -> None:
    ran = demo(tmp_path, "--keep")
    (kept,) = (tmp_path / "scratch").iterdir()
    assert f"cd {kept}/agents" in ran.out
    asked = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "audit", "verify"],
        cwd=kept / "agents",
        capture_output=True,
        check=False,
    )
    assert asked.returncode == 0, asked.stderr


@pytest.mark.parametrize("option", ["--color", "extra"])
def test_it_takes_no_other_words(tmp_path: Path, option: str) -> None:
    assert demo(tmp_path, option).code == 2


def test_without_git_it_says_so_instead_of_failing_oddly(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agentpolicy", "demo"],
        cwd=tmp_path,
        env={"PATH": str(tmp_path), "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 3
    assert b"install git" in done.stderr
