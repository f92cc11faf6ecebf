"""The key that git itself signs with: a file, a public key, or what a command prints."""

from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.gitio.signing import load_signer
from agentpolicy.gitio.signing_key import default_key
from tests.repositories import GitRepository, clean_environment, make_repository
from tests.ssh_keys import NAMESPACE, keygen, ssh_add

COMMAND = "gpg.ssh.defaultKeyCommand"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepository:
    made = make_repository(tmp_path / "repo")
    made.git("config", "gpg.format", "ssh")
    return made


def chosen(repo: GitRepository, name: str, value: str) -> str | None:
    repo.git("config", name, value)
    return default_key(repo.open())


def why_not(repo: GitRepository, command: str) -> str:
    with pytest.raises(InputError) as error:
        chosen(repo, COMMAND, command)
    (problem,) = error.value.problems
    assert problem.code == "key-command-failed"
    assert problem.hint.startswith(command)
    return problem.message


def test_a_named_file_is_found_from_the_top_of_the_work_tree(
    repo: GitRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    public = keygen(tmp_path / "key")
    for value in ("~/key.pub", "~/key", "../key", str(tmp_path / "key.pub")):
        key = chosen(repo, "user.signingKey", value)
        assert key is not None
        assert load_signer(key, {}).public_key == public, value


@pytest.mark.parametrize("prefix", ["key::", ""])
def test_a_public_key_may_stand_in_the_configuration_itself(
    prefix: str, repo: GitRepository, tmp_path: Path
) -> None:
    public = keygen(tmp_path / "key", "ecdsa-256")
    key = chosen(repo, "user.signingKey", prefix + public.line + " alice")
    assert key is not None
    assert load_signer(key, {}).public_key == public


def test_git_that_signs_with_something_else_names_no_key(repo: GitRepository) -> None:
    assert default_key(repo.open()) is None
    assert chosen(repo, "user.signingKey", "") is None
    assert chosen(repo, "user.signingKey", "0xABCD")
    repo.git("config", "gpg.format", "openpgp")
    assert default_key(repo.open()) is None
    repo.git("config", "--unset", "gpg.format")
    assert default_key(repo.open()) is None


def test_a_command_may_print_the_key_and_the_agent_signs_with_it(
    repo: GitRepository, tmp_path: Path, agent: dict[str, str]
) -> None:
    keygen(tmp_path / "other")
    public = keygen(tmp_path / "key", "ecdsa-384")
    for name in ("key", "other"):
        ssh_add(agent, str(tmp_path / name))
    asking = GitRepository(repo.path, clean_environment(tmp_path) | agent)
    key = chosen(asking, COMMAND, "ssh-add -L")
    assert key == f"key::{public.line} {key.rpartition(' ')[2]}" if key else False
    signer = load_signer(str(key), agent)
    assert signer.public_key == public
    assert signer.sign(b"message", NAMESPACE)
    assert chosen(asking, "user.signingKey", "/named") == "/named"


def test_a_command_is_run_without_a_shell_and_without_anybody_to_ask(
    repo: GitRepository, tmp_path: Path
) -> None:
    public = keygen(tmp_path / "key")
    script = tmp_path / "a script"
    script.write_text(
        f"#!/bin/sh\nread -r line && exit 1\necho '{public.line}'; echo $1 $SSH_ASKPASS\n"
    )
    script.chmod(0o700)
    loud = GitRepository(repo.path, {**repo.environ, "SSH_ASKPASS": "/askpass"})
    assert chosen(loud, COMMAND, f"'{script}' '; rm -rf x'") == f"key::{public.line}"


def test_a_command_that_gives_no_key_is_quoted_with_its_own_words(
    repo: GitRepository, agent: dict[str, str]
) -> None:
    assert "it printed nothing" in why_not(repo, "true")
    assert "exit 1" in why_not(repo, "false")
    assert "it printed 'hello'" in why_not(repo, "echo hello")
    assert "No such file" in why_not(repo, "/nonexistent/command")
    assert "No closing quotation" in why_not(repo, "echo 'hello")
    asking = GitRepository(repo.path, {**repo.environ, "SSH_AUTH_SOCK": agent["SSH_AUTH_SOCK"]})
    assert "The agent has no identities" in why_not(asking, "ssh-add -L")


def test_configuration_in_the_environment_names_no_key_and_runs_nothing(
    repo: GitRepository, tmp_path: Path
) -> None:
    settings = {"user.signingKey": "/theirs", COMMAND: f"touch {tmp_path / 'ran'}"}
    told = {"GIT_CONFIG_COUNT": "2"}
    for number, (name, value) in enumerate(settings.items()):
        told |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    bent = GitRepository(repo.path, {**repo.environ, **told})
    assert bent.git("config", "user.signingKey") == "/theirs"
    assert default_key(bent.open()) is None
    assert not (tmp_path / "ran").exists()
