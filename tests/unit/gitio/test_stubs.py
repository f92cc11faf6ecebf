"""The stubs in real commits and pushes, with an interpreter that writes down how it is called."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from agentpolicy.gitio.hooks import NAMES, STUBS, HookMode, install_hooks
from tests.repositories import GitRepository, linked_worktree, make_repository, make_server

POLICY = "policies/bands/a.yaml"
RECORDER = """#!/bin/sh
[ "$2" = -c ] && exit {importable}
echo "$@" >>'{log}'
case $5 in pre-push | pre-receive) cat >>'{log}.stdin' ;; esac
exit {status}
"""


@dataclass(frozen=True)
class Recorder:
    """Stands in for the interpreter, notes its calls, and answers as told."""

    place: Path

    def answer(self, status: int, importable: int = 0) -> None:
        text = RECORDER.format(log=f"{self.place}.log", status=status, importable=importable)
        self.place.write_text(text)
        self.place.chmod(0o755)

    def calls(self) -> list[str]:
        log = Path(f"{self.place}.log")
        return log.read_text().splitlines() if log.exists() else []

    def stdin(self) -> str:
        return Path(f"{self.place}.log.stdin").read_text()


@pytest.fixture
def python(tmp_path: Path) -> Recorder:
    recorder = Recorder(tmp_path / "the python")
    recorder.answer(0)
    return recorder


@pytest.fixture
def made(tmp_path: Path, python: Recorder) -> GitRepository:
    """A repository with a policy, a guarded file and the local hooks."""
    made = make_repository(tmp_path / "repo")
    made.commit_files(
        {
            POLICY: "band_version: 1\n",
            "policies/roles.yaml": "guarded: [.github/workflows/check.yml]\n",
            ".github/workflows/check.yml": "on: push\n",
            "README": "r\n",
        }
    )
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    return made


def test_every_stub_is_short_posix_shell() -> None:
    for name in (*NAMES[HookMode.LOCAL], *NAMES[HookMode.SERVER]):
        lines = (STUBS / name).read_text().splitlines()
        assert lines[0] == "#!/bin/sh"
        assert len(lines) < 20


def test_a_stub_that_was_never_filled_in_blocks(made: GitRepository) -> None:
    made.hook("pre-commit", (STUBS / "pre-commit").read_text())
    made.stage(POLICY, "band_version: 2\n")
    done = made.try_git("commit", "-m", "x")
    assert done.returncode != 0
    assert b"cannot run it" in done.stderr


def test_a_commit_that_touches_no_policy_asks_nobody(made: GitRepository, python: Recorder) -> None:
    python.answer(1)
    made.commit_files({"README": "new\n", "src/policies/x": "not at the top\n"})
    made.commit("nothing at all")
    made.commit("only the message", "--amend")
    assert python.calls() == []


@pytest.mark.parametrize(
    "path",
    [
        POLICY,
        "policies/new",
        "Policies/x.yaml",
        "POLICIES",
        "policie\u017f/x",
        ".github/workflows/check.yml",
        ".github/Workflows/CHECK.yml",
    ],
)
def test_a_commit_that_touches_a_governed_path_is_judged(
    made: GitRepository, python: Recorder, path: str
) -> None:
    made.commit_files({path: "changed\n", "README": "changed too\n"})
    assert python.calls() == ["-I -m agentpolicy hook pre-commit"]


def test_a_deletion_is_judged(made: GitRepository, python: Recorder) -> None:
    made.git("rm", "-q", POLICY)
    made.commit()
    assert len(python.calls()) == 1


def test_a_rename_out_of_the_policies_is_judged(made: GitRepository, python: Recorder) -> None:
    made.git("mv", POLICY, "elsewhere.yaml")
    made.commit()
    assert len(python.calls()) == 1


def test_a_submodule_that_asks_to_be_ignored_is_judged(
    made: GitRepository, python: Recorder
) -> None:
    made.stage(".gitmodules", '[submodule "s"]\npath = policies/s\nurl = ./s\nignore = all\n')
    stage = ("update-index", "--add", "--cacheinfo")
    made.git(*stage, f"160000,{made.oid('HEAD')},policies/s")
    made.commit("add", "--no-verify")
    made.git(*stage, f"160000,{made.oid('HEAD')},policies/s")
    made.commit("move")
    assert len(python.calls()) == 1


@pytest.mark.parametrize("arguments", [("-a",), (POLICY,), ("--include", POLICY)])
def test_the_index_of_a_partial_commit_is_the_one_looked_at(
    made: GitRepository, python: Recorder, arguments: tuple[str, ...]
) -> None:
    made.write(POLICY, "changed\n")
    made.commit("x", *arguments)
    assert len(python.calls()) == 1


def test_a_commit_of_another_file_leaves_a_staged_policy_unasked(
    made: GitRepository, python: Recorder
) -> None:
    made.stage(POLICY, "changed\n")
    made.write("README", "changed\n")
    made.commit("x", "README")
    assert python.calls() == []


def test_the_first_commit_of_all_is_judged(tmp_path: Path, python: Recorder) -> None:
    made = make_repository(tmp_path / "new")
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    python.answer(3)
    made.stage(POLICY, "x\n")
    assert made.try_git("commit", "-m", "x").returncode != 0


def test_a_replaced_head_hides_nothing(made: GitRepository, python: Recorder) -> None:
    head = made.oid("HEAD")
    made.stage(POLICY, "changed\n")
    changed = made.git("commit-tree", "-m", "x", made.git("write-tree"))
    made.git("replace", head, changed)
    made.commit("hidden from git itself")
    assert len(python.calls()) == 1


def test_configuration_hides_nothing(made: GitRepository, python: Recorder) -> None:
    made.git("config", "core.quotePath", "false")
    made.git("config", "diff.renames", "copies")
    made.git("config", "diff.external", "true")
    made.commit_files({"policie\u017f/x": "a twin\n"})
    made.git("mv", POLICY, "elsewhere.yaml")
    made.commit()
    assert len(python.calls()) == 2


def test_a_commit_in_a_subfolder_is_judged(made: GitRepository, python: Recorder) -> None:
    made.write("sub/x", "x")
    made.git("config", "diff.relative", "true")
    made.stage(POLICY, "changed\n")
    GitRepository(made.path / "sub", made.environ).commit()
    assert len(python.calls()) == 1


def test_a_commit_in_a_linked_worktree_is_judged(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    linked = linked_worktree(made, tmp_path / "linked", "side")
    linked.commit_files({"README": "changed\n"})
    assert python.calls() == []
    linked.commit_files({POLICY: "changed\n"})
    assert len(python.calls()) == 1


def test_a_merge_that_brings_a_policy_is_judged(made: GitRepository, python: Recorder) -> None:
    made.branch("side")
    made.commit_files({POLICY: "side\n"}, "side")
    made.git("checkout", "-q", "main")
    made.commit_files({"README": "main\n"})
    made.git("merge", "-q", "--no-edit", "side")
    assert python.calls()[-1] == "-I -m agentpolicy hook pre-merge-commit"


@pytest.mark.parametrize("status", [1, 2, 3, 70, 130])
def test_every_answer_but_yes_blocks(made: GitRepository, python: Recorder, status: int) -> None:
    python.answer(status)
    made.stage(POLICY, "changed\n")
    before = made.oid("HEAD")
    done = made.try_git("commit", "-m", "x")
    assert done.returncode != 0
    assert b"cannot run" not in done.stderr
    assert made.oid("HEAD") == before


def missing_interpreter(python: Recorder) -> None:
    python.place.unlink()


def missing_module(python: Recorder) -> None:
    python.answer(1, importable=1)


@pytest.mark.parametrize("vanish", [missing_interpreter, missing_module])
def test_a_missing_program_blocks_with_a_sentence(
    made: GitRepository, python: Recorder, vanish: Callable[[Recorder], None]
) -> None:
    made.stage(POLICY, "changed\n")
    vanish(python)
    done = made.try_git("commit", "-m", "x")
    assert done.returncode != 0
    assert b"agentpolicy: blocked" in done.stderr
    assert b"agentpolicy hook install" in done.stderr


def test_a_bare_path_and_no_terminal_are_enough(made: GitRepository, python: Recorder) -> None:
    made.stage(POLICY, "changed\n")
    made.git("commit", "-q", "-m", "x", env={"PATH": "/usr/bin:/bin"})
    assert len(python.calls()) == 1


def test_nothing_is_imported_from_the_repository_being_judged(made: GitRepository) -> None:
    install_hooks(made.open(), HookMode.LOCAL, python=sys.executable)
    trap = "import pathlib; pathlib.Path('trapped').touch()\n"
    for module in (
        "yaml.py",
        "subprocess.py",
        "agentpolicy/__init__.py",
        "agentpolicy/__main__.py",
    ):
        made.write(module, trap)
    made.stage(POLICY, "changed\n")
    made.try_git("commit", "-m", "x", env={"PYTHONPATH": str(made.path)})
    assert not (made.path / "trapped").exists()


def test_a_hook_from_before_runs_first_and_can_block(tmp_path: Path, python: Recorder) -> None:
    made = make_repository(tmp_path / "chained")
    made.hook("pre-commit", "#!/bin/sh\necho before >>ran\nexit $(cat verdict)\n")
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    made.stage(POLICY, "x\n")
    made.write("verdict", "5")
    assert made.try_git("commit", "-m", "x").returncode != 0
    assert python.calls() == []
    made.write("verdict", "0")
    made.commit()
    assert len(python.calls()) == 1
    assert (made.path / "ran").read_text() == "before\nbefore\n"


def test_a_hook_that_git_skipped_stays_skipped(tmp_path: Path, python: Recorder) -> None:
    made = make_repository(tmp_path / "chained")
    made.hook("pre-commit", "#!/bin/sh\nexit 1\n", mode=0o644)
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    made.commit_files({POLICY: "x\n"})
    assert len(python.calls()) == 1


def test_a_push_is_told_to_both_hooks_word_for_word(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    (made.path / ".git/hooks/pre-push").unlink()
    made.hook("pre-push", '#!/bin/sh\necho "$@" >args\ncat >told\n')
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    made.git("push", "-q", str(server.path), "main", "main:refs/heads/other")
    assert python.calls() == [f"-I -m agentpolicy hook pre-push {server.path} {server.path}"]
    assert (made.path / "args").read_text() == f"{server.path} {server.path}\n"
    assert python.stdin() == (made.path / "told").read_text()
    assert len(python.stdin().splitlines()) == 2


def test_a_hook_from_before_that_does_not_listen_breaks_nothing(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    (made.path / ".git/hooks/pre-push").unlink()
    made.hook("pre-push", "#!/bin/sh\nexit 0\n")
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    made.git("push", "-q", str(server.path), "main")
    assert len(python.calls()) == 1


@pytest.mark.parametrize("blocker", ["before", "program"])
def test_a_push_is_blocked_by_either_hook(
    made: GitRepository, python: Recorder, tmp_path: Path, blocker: str
) -> None:
    server = make_server(tmp_path / "server.git")
    (made.path / ".git/hooks/pre-push").unlink()
    made.hook("pre-push", f"#!/bin/sh\nexit {int(blocker == 'before')}\n")
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    python.answer(int(blocker == "program"))
    assert made.try_git("push", "-q", str(server.path), "main").returncode != 0
    assert server.try_git("show-ref").stdout == b""


def test_a_push_of_nothing_asks_nobody(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    made.git("push", "-q", str(server.path), "main")
    made.git("push", "-q", str(server.path), "main")
    assert len(python.calls()) == 1


def test_the_server_is_asked_about_every_push(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    server.hook("pre-receive", "#!/bin/sh\ncat >told\n")
    install_hooks(server.open(), HookMode.SERVER, python=str(python.place))
    made.git("push", "-q", "--no-verify", str(server.path), "main")
    assert python.calls() == ["-I -m agentpolicy hook pre-receive"]
    assert python.stdin() == (server.path / "told").read_text()
    python.answer(3)
    made.commit_files({"README": "no policy\n"})
    assert made.try_git("push", "-q", "--no-verify", str(server.path), "main").returncode != 0
    assert server.oid("main") == made.oid("HEAD~1")


def test_a_server_that_lost_its_program_blocks_with_a_sentence(
    made: GitRepository, python: Recorder, tmp_path: Path
) -> None:
    server = make_server(tmp_path / "server.git")
    install_hooks(server.open(), HookMode.SERVER, python=str(python.place))
    missing_interpreter(python)
    done = made.try_git("push", "--no-verify", str(server.path), "main")
    assert done.returncode != 0
    assert b"agentpolicy hook install --mode server" in done.stderr


def test_a_stub_another_tool_keeps_as_its_own_chain_does_not_run_in_circles(
    made: GitRepository, python: Recorder
) -> None:
    folder = made.path / ".git/hooks"
    (folder / "pre-commit").rename(folder / "pre-commit.legacy")
    made.hook("pre-commit", '#!/bin/sh\nexec "$0.legacy" "$@"\n'.replace("$0", "${0%.before*}"))
    install_hooks(made.open(), HookMode.LOCAL, python=str(python.place))
    made.commit_files({POLICY: "changed\n"})
    assert len(python.calls()) == 2
