"""A real agent: empty, locked, gone, unwilling, and which command each of them asks for."""

import socket
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError, Problem
from agentpolicy.gitio.signing import load_signer
from tests.ssh_keys import NAMESPACE, PASSPHRASE, ed25519_token, keygen, ssh_add

MESSAGE = b"message"


@pytest.fixture
def public_half(tmp_path: Path) -> str:
    """A key whose private half went away, so that only an agent can sign with it."""
    keygen(tmp_path / "key")
    (tmp_path / "key").rename(tmp_path / "elsewhere")
    return str(tmp_path / "key.pub")


def why_not(key: str, environ: Mapping[str, str]) -> Problem:
    with pytest.raises(InputError) as error:
        load_signer(key, environ).sign(MESSAGE, NAMESPACE)
    (problem,) = error.value.problems
    return problem


def test_without_an_agent_the_hint_starts_one(public_half: str, environ: dict[str, str]) -> None:
    problem = why_not(public_half, environ)
    assert problem.code == "no-agent"
    assert "SSH_AUTH_SOCK is not set" in problem.message
    assert problem.hint == 'eval "$(ssh-agent -s)" && ssh-add FILE'


@pytest.mark.parametrize("left_behind", [True, False])
def test_an_agent_that_is_gone_is_named(
    public_half: str, environ: dict[str, str], tmp_path: Path, left_behind: bool
) -> None:
    path = tmp_path / "socket"
    if left_behind:
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(str(path))
    problem = why_not(public_half, environ | {"SSH_AUTH_SOCK": str(path)})
    assert problem.code == "no-agent"
    assert f"no agent answers at SSH_AUTH_SOCK={path}" in problem.message
    assert problem.hint.startswith('eval "$(ssh-agent -s)"')


def test_an_empty_agent_and_a_locked_one_say_how_to_fill_or_unlock_it(
    public_half: str, agent: dict[str, str], tmp_path: Path
) -> None:
    empty = why_not(public_half, agent)
    assert empty.code == "agent-empty"
    ssh_add(agent, str(tmp_path / "elsewhere"))
    assert load_signer(public_half, agent).sign(MESSAGE, NAMESPACE)
    ssh_add(agent, "-x")
    locked = why_not(public_half, agent)
    assert locked == empty
    assert "ssh-add -X unlocks it" in locked.hint
    ssh_add(agent, "-X")
    assert load_signer(public_half, agent).sign(MESSAGE, NAMESPACE)


def test_an_agent_with_other_keys_only_says_how_many(
    public_half: str, agent: dict[str, str], tmp_path: Path
) -> None:
    for name in ("first", "second"):
        keygen(tmp_path / name)
        ssh_add(agent, str(tmp_path / name))
    problem = why_not(public_half, agent)
    assert problem.code == "key-missing"
    assert "only the public half, and the agent holds 2 other keys, not this one" in problem.message
    assert problem.hint == "ssh-add FILE"


def test_an_agent_that_may_not_sign_unasked_says_who_refused(
    public_half: str, agent: dict[str, str], tmp_path: Path
) -> None:
    ssh_add(agent, "-c", str(tmp_path / "elsewhere"))
    problem = why_not(public_half, agent)
    assert problem.code == "agent-refused"
    assert problem.hint.startswith("confirm")


def test_a_locked_file_is_to_be_added_to_the_agent_that_runs(
    agent: dict[str, str], tmp_path: Path
) -> None:
    keygen(tmp_path / "a key", "ed25519", PASSPHRASE)
    keygen(tmp_path / "other")
    ssh_add(agent, str(tmp_path / "other"))
    problem = why_not(str(tmp_path / "a key"), agent)
    assert problem.code == "key-locked"
    assert "locked by a passphrase, and nobody is asked for it here" in problem.message
    subprocess.run(["sh", "-c", problem.hint], check=True, env=agent, capture_output=True)
    assert load_signer(str(tmp_path / "a key"), agent).sign(MESSAGE, NAMESPACE)


def test_a_key_of_the_configuration_names_no_file_to_add(
    agent: dict[str, str], tmp_path: Path
) -> None:
    public = keygen(tmp_path / "key")
    problem = why_not("key::" + public.line, agent)
    assert problem.message.startswith(public.fingerprint)
    assert problem.hint.startswith("ssh-add FILE")


def test_without_ssh_add_the_words_still_say_what_to_do(
    public_half: str, environ: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "bin" / "ssh-keygen"
    script.parent.mkdir()
    script.write_text('#!/bin/sh\necho "No private key found for public key" >&2\nexit 255\n')
    script.chmod(0o700)
    problem = why_not(public_half, {"PATH": str(script.parent), "SSH_AUTH_SOCK": "/nonexistent"})
    assert (problem.code, problem.hint) == ("key-missing", "ssh-add FILE")


def test_a_security_key_that_is_not_there_says_to_plug_it_in(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "ssh-keygen"
    script.write_text("#!/bin/sh\nexit 255\n")
    script.chmod(0o700)
    (tmp_path / "token.pub").write_text(ed25519_token().public.line + "\n")
    problem = why_not(str(tmp_path / "token.pub"), environ | {"PATH": str(script.parent)})
    assert problem.code == "security-key-failed"
    assert problem.hint.startswith("plug it in")
