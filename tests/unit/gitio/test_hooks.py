import stat
import sys
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.gitio.hooks import (
    CHAINED,
    NAMES,
    HookMode,
    HookState,
    hook_status,
    hooks_directory,
    install_hooks,
    uninstall_hooks,
)
from agentpolicy.gitio.repository import open_repository
from tests.repositories import GitRepository, linked_worktree, make_repository, make_server

LOCAL = HookMode.LOCAL
OTHERS = "#!/bin/sh\n# another tool\nexit 0\n"


@pytest.fixture
def made(tmp_path: Path) -> GitRepository:
    return make_repository(tmp_path / "repo")


def install(made: GitRepository, mode: HookMode = LOCAL, python: str = sys.executable) -> bool:
    changes = install_hooks(made.open(), mode, python=python)
    return any(change.changed for change in changes)


def states(made: GitRepository, mode: HookMode = LOCAL) -> dict[str, HookState]:
    return {hook.name: hook.state for hook in hook_status(made.open(), mode)}


def test_the_stubs_of_a_mode_are_installed_executable(made: GitRepository) -> None:
    assert set(states(made).values()) == {HookState.ABSENT}
    assert install(made)
    assert states(made) == dict.fromkeys(NAMES[LOCAL], HookState.INSTALLED)
    (hook, *_) = hook_status(made.open(), LOCAL)
    assert hook.python == sys.executable
    assert stat.S_IMODE(hook.path.stat().st_mode) == 0o755


def test_a_server_gets_pre_receive(tmp_path: Path) -> None:
    server = make_server(tmp_path / "server.git")
    assert install(server, HookMode.SERVER)
    assert states(server, HookMode.SERVER) == {"pre-receive": HookState.INSTALLED}
    assert (server.path / "hooks/pre-receive").exists()


def test_installing_twice_changes_nothing(made: GitRepository) -> None:
    made.hook("pre-commit", OTHERS)
    assert install(made)
    folder = made.path / ".git/hooks"
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert not install(made)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first


def test_another_interpreter_rewrites_the_stub_and_keeps_the_chain(
    made: GitRepository, tmp_path: Path
) -> None:
    made.hook("pre-commit", OTHERS)
    install(made)
    other = tmp_path / "it's a python"
    other.write_text("#!/bin/sh\nexit 0\n")
    other.chmod(0o755)
    assert install(made, python=str(other))
    hook = hook_status(made.open(), LOCAL)[0]
    assert (hook.python, hook.state) == (str(other), HookState.INSTALLED)
    assert hook.chained is not None
    assert hook.chained.read_text() == OTHERS


@pytest.mark.parametrize("mode", [0o755, 0o644, 0o700])
def test_uninstalling_restores_bytes_and_mode(made: GitRepository, mode: int) -> None:
    before = made.hook("pre-push", OTHERS, mode)
    install(made)
    assert before.read_text() != OTHERS
    changes = uninstall_hooks(made.open(), LOCAL)
    assert all(change.changed for change in changes)
    assert before.read_text() == OTHERS
    assert stat.S_IMODE(before.stat().st_mode) == mode
    left = {path.name for path in before.parent.iterdir() if not path.name.endswith(".sample")}
    assert left == {"pre-push"}
    assert not any(change.changed for change in uninstall_hooks(made.open(), LOCAL))


def test_a_hook_that_is_a_link_is_restored_as_a_link(made: GitRepository) -> None:
    real = made.write("tools/hook", OTHERS)
    link = made.path / ".git/hooks/pre-commit"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(real)
    install(made)
    assert not link.is_symlink()
    assert real.read_text() == OTHERS
    uninstall_hooks(made.open(), LOCAL)
    assert link.readlink() == real


def test_a_hook_another_tool_put_over_ours_is_left_alone(made: GitRepository) -> None:
    install(made)
    made.hook("pre-commit", OTHERS)
    assert states(made)["pre-commit"] is HookState.FOREIGN
    uninstall_hooks(made.open(), LOCAL)
    assert (made.path / ".git/hooks/pre-commit").read_text() == OTHERS


def test_no_hook_is_lost_when_two_would_have_to_be_chained(made: GitRepository) -> None:
    first = made.hook("pre-push", "#!/bin/sh\n# first\n")
    install(made)
    made.hook("pre-push", OTHERS)
    with pytest.raises(InputError, match="hook-conflict"):
        install(made)
    assert first.read_text() == OTHERS
    assert first.with_name("pre-push" + CHAINED).read_text() == "#!/bin/sh\n# first\n"


def test_a_stub_that_was_changed_is_broken(made: GitRepository) -> None:
    install(made)
    place = made.path / ".git/hooks/pre-commit"
    place.write_text(place.read_text().replace("[ $? -ne 1 ] ||", ""))
    assert states(made)["pre-commit"] is HookState.BROKEN
    assert install(made)
    assert states(made)["pre-commit"] is HookState.INSTALLED


def test_a_stub_that_git_would_skip_is_broken(made: GitRepository) -> None:
    install(made)
    (made.path / ".git/hooks/pre-push").chmod(0o644)
    assert states(made)["pre-push"] is HookState.BROKEN
    assert install(made)
    assert states(made)["pre-push"] is HookState.INSTALLED


def test_a_stub_whose_interpreter_is_gone_is_broken(made: GitRepository, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    install(made, python=str(python))
    python.unlink()
    assert set(states(made).values()) == {HookState.BROKEN}


@pytest.mark.parametrize("python", ["python3", "/nowhere/python", "/bin/false"])
def test_an_interpreter_that_cannot_run_the_program_is_refused(
    made: GitRepository, python: str
) -> None:
    with pytest.raises(InputError, match="interpreter-unusable"):
        install(made, python=python)
    assert set(states(made).values()) == {HookState.ABSENT}


def test_a_hook_of_the_other_side_is_refused(made: GitRepository) -> None:
    with pytest.raises(InputError, match="hook-name"):
        install_hooks(made.open(), LOCAL, python=sys.executable, names=["pre-receive"])


def test_only_the_hooks_named_are_installed(made: GitRepository) -> None:
    install_hooks(made.open(), LOCAL, python=sys.executable, names=["pre-push"])
    assert states(made)["pre-commit"] is HookState.ABSENT
    assert states(made)["pre-push"] is HookState.INSTALLED


def test_a_hooks_path_of_the_repository_is_honoured(made: GitRepository) -> None:
    made.git("config", "core.hooksPath", ".githooks")
    below = made.write("sub/x", "x").parent
    install_hooks(open_repository(below, made.environ), LOCAL, python=sys.executable)
    assert (made.path / ".githooks/pre-commit").exists()
    assert not (made.path / ".git/hooks/pre-commit").exists()


def test_a_hooks_path_for_all_repositories_is_refused(made: GitRepository, tmp_path: Path) -> None:
    settings = tmp_path / "gitconfig"
    settings.write_text("[core]\n\thooksPath = /shared/hooks\n")
    shared = GitRepository(made.path, {**made.environ, "GIT_CONFIG_GLOBAL": str(settings)})
    with pytest.raises(InputError) as caught:
        install(shared)
    assert caught.value.problems[0].code == "hooks-shared"
    shared.git(*caught.value.problems[0].hint.split()[1:])
    assert install(shared)
    assert states(shared)["pre-commit"] is HookState.INSTALLED


def test_a_linked_worktree_shares_the_hooks(made: GitRepository, tmp_path: Path) -> None:
    made.commit()
    linked = linked_worktree(made, tmp_path / "linked", "side")
    assert hooks_directory(linked.open()) == made.path / ".git/hooks"
    install(linked)
    assert states(made)["pre-commit"] is HookState.INSTALLED


def test_a_folder_that_cannot_be_written_is_said_to_be(made: GitRepository) -> None:
    made.git("config", "core.hooksPath", "/dev/null")
    with pytest.raises(InputError, match="hooks-unwritable"):
        install(made)
