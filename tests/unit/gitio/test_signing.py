"""Signing with the keys people have: plain files, encrypted ones, an agent's, git's own choice."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentpolicy.base.errors import InputError
from agentpolicy.gitio.program_signer import ProgramSigner
from agentpolicy.gitio.signing import load_signer
from agentpolicy.trust.envelope import Signer
from agentpolicy.trust.private_key import PlainSigner
from agentpolicy.trust.sshsig import verify
from agentpolicy.trust.wire import string
from cryptography.hazmat.primitives.asymmetric import dsa, ec, x25519
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.ssh_keys import (
    KINDS,
    NAMESPACE,
    PASSPHRASE,
    ed25519_token,
    keygen,
    keygen_accepts,
    ssh_add,
)

MESSAGE = b"DSSEv1 28 application/vnd.in-toto+json 2 {}"
NO_PROGRAMS = {"PATH": "/nonexistent"}


def program(folder: Path, line: str) -> str:
    """Put a script in the place of ssh-keygen, and give the path to find it on."""
    script = folder / "bin" / "ssh-keygen"
    script.parent.mkdir()
    script.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
    script.chmod(0o700)
    return str(script.parent)


def assert_signs(signer: Signer, folder: Path) -> None:
    armoured = signer.sign(MESSAGE, NAMESPACE)
    assert verify(armoured, MESSAGE, NAMESPACE) == signer.public_key
    assert keygen_accepts(folder, armoured, MESSAGE, NAMESPACE)


def problem_of(error: pytest.ExceptionInfo[InputError]) -> tuple[str, str]:
    (problem,) = error.value.problems
    assert problem.hint
    return problem.code, problem.hint


@pytest.mark.parametrize("kind", KINDS)
def test_a_plain_key_file_signs_without_any_program(kind: str, tmp_path: Path) -> None:
    public = keygen(tmp_path / "key", kind)
    signer = load_signer(str(tmp_path / "key"), NO_PROGRAMS)
    assert isinstance(signer, PlainSigner)
    assert signer.public_key == public
    assert_signs(signer, tmp_path)


@pytest.mark.parametrize("kind", ["ecdsa-256", "rsa"])
def test_a_plain_pem_key_signs_too(kind: str, tmp_path: Path) -> None:
    keygen(tmp_path / "key", kind, "", "-m", "PEM")
    assert b"OPENSSH" not in (tmp_path / "key").read_bytes()
    assert_signs(load_signer(str(tmp_path / "key"), NO_PROGRAMS), tmp_path)


def test_the_public_half_of_a_plain_key_file_stands_for_it(tmp_path: Path) -> None:
    keygen(tmp_path / "key")
    assert_signs(load_signer(str(tmp_path / "key.pub"), NO_PROGRAMS), tmp_path)


def test_a_tilde_means_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    public = keygen(tmp_path / "key")
    assert load_signer("~/key", NO_PROGRAMS).public_key == public


@pytest.mark.parametrize("form", ["OpenSSH", "PEM", "PKCS8"])
def test_an_encrypted_key_signs_once_the_agent_holds_it(
    form: str, tmp_path: Path, agent: dict[str, str]
) -> None:
    option = () if form == "OpenSSH" else ("-m", form)
    public = keygen(tmp_path / "key", "rsa", PASSPHRASE, *option)
    signer = load_signer(str(tmp_path / "key"), agent)
    assert isinstance(signer, ProgramSigner)
    assert signer.public_key == public
    with pytest.raises(InputError):
        signer.sign(MESSAGE, NAMESPACE)
    ssh_add(agent, str(tmp_path / "key"))
    assert_signs(signer, tmp_path)


@pytest.mark.parametrize("prefix", ["", "key::"])
def test_a_key_written_in_the_configuration_signs_through_the_agent(
    prefix: str, tmp_path: Path, agent: dict[str, str]
) -> None:
    public = keygen(tmp_path / "key")
    ssh_add(agent, str(tmp_path / "key"))
    assert_signs(load_signer(prefix + public.line, agent), tmp_path)


def test_a_key_file_that_only_has_its_public_half_signs_through_the_agent(
    tmp_path: Path, agent: dict[str, str]
) -> None:
    keygen(tmp_path / "key")
    ssh_add(agent, str(tmp_path / "key"))
    (tmp_path / "key").unlink()
    assert_signs(load_signer(str(tmp_path / "key"), agent), tmp_path)
    assert_signs(load_signer(str(tmp_path / "key.pub"), agent), tmp_path)


def test_a_public_half_beside_another_key_does_not_sign_with_that_key(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    public = keygen(tmp_path / "key")
    keygen(tmp_path / "other")
    shutil.copy(tmp_path / "other", tmp_path / "key")
    signer = load_signer(str(tmp_path / "key.pub"), environ)
    assert signer.public_key == public
    with pytest.raises(InputError):
        signer.sign(MESSAGE, NAMESPACE)


def test_a_locked_key_says_to_add_it_to_the_agent_and_never_prompts(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    with pytest.raises(InputError) as error:
        load_signer(str(tmp_path / "key"), environ).sign(MESSAGE, NAMESPACE)
    add = f"ssh-add {tmp_path / 'key'}"
    assert problem_of(error) == ("key-locked", f'eval "$(ssh-agent -s)" && {add}')
    assert not (tmp_path / "prompted").exists()


def test_an_encrypted_key_others_can_read_says_to_close_it(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    (tmp_path / "key").chmod(0o644)
    with pytest.raises(InputError) as error:
        load_signer(str(tmp_path / "key"), environ).sign(MESSAGE, NAMESPACE)
    assert problem_of(error) == ("key-unprotected", f"chmod 600 {tmp_path / 'key'}")


def test_an_encrypted_pem_key_without_its_public_half_says_how_to_make_it(tmp_path: Path) -> None:
    keygen(tmp_path / "key", "rsa", PASSPHRASE, "-m", "PEM")
    (tmp_path / "key.pub").unlink()
    with pytest.raises(InputError) as error:
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)
    assert problem_of(error)[0] == "public-key-missing"


def test_a_guarded_key_without_ssh_keygen_says_what_to_install(tmp_path: Path) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    with pytest.raises(InputError, match=r"OpenSSH 8\.2") as error:
        load_signer(str(tmp_path / "key"), NO_PROGRAMS).sign(MESSAGE, NAMESPACE)
    assert problem_of(error)[0] == "ssh-keygen-missing"


def test_a_program_that_only_claims_to_have_signed_is_not_believed(tmp_path: Path) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    path = program(tmp_path, "read -r line; echo 'Good signature'")
    signer = load_signer(str(tmp_path / "key"), {"PATH": path})
    with pytest.raises(InputError, match="does not hold") as error:
        signer.sign(MESSAGE, NAMESPACE)
    assert problem_of(error)[0] == "signature-unusable"


def test_a_program_that_signs_with_another_key_is_refused(tmp_path: Path) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    keygen(tmp_path / "other")
    real = shutil.which("ssh-keygen")
    path = program(tmp_path, f"exec {real} -Y sign -n {NAMESPACE} -f {tmp_path / 'other'}")
    with pytest.raises(InputError, match="instead") as error:
        load_signer(str(tmp_path / "key"), {"PATH": path}).sign(MESSAGE, NAMESPACE)
    assert problem_of(error)[0] == "signature-unusable"


def test_the_program_is_left_no_way_to_ask(tmp_path: Path, environ: dict[str, str]) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    path = program(tmp_path, f"env > '{tmp_path / 'seen'}'; exit 1")
    signer = load_signer(str(tmp_path / "key"), environ | {"PATH": f"{path}:{environ['PATH']}"})
    with pytest.raises(InputError):
        signer.sign(MESSAGE, NAMESPACE)
    seen = (tmp_path / "seen").read_text(encoding="utf-8").splitlines()
    assert "SSH_ASKPASS_REQUIRE=never" in seen
    assert not any(line.startswith(("SSH_ASKPASS=", "DISPLAY=")) for line in seen)


AT_A_TERMINAL = """
import os, pty, select, sys
from agentpolicy.base.errors import InputError
from agentpolicy.gitio.signing import load_signer

pid, terminal = pty.fork()
if pid == 0:
    try:
        load_signer(sys.argv[1], os.environ).sign(b"message", "namespace")
    except InputError as error:
        os.write(1, error.problems[0].code.encode())
    os._exit(0)
said = b""
while select.select([terminal], [], [], 20)[0]:
    try:
        part = os.read(terminal, 1000)
    except OSError:
        break
    said += part
    if not part or b"passphrase" in said:
        break
print(said.decode())
"""


def test_a_locked_key_does_not_prompt_at_a_terminal_either(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    keygen(tmp_path / "key", "ed25519", PASSPHRASE)
    done = subprocess.run(
        [sys.executable, "-c", AT_A_TERMINAL, tmp_path / "key"],
        env=environ,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "key-locked"


def openssh_file(public: bytes, count: int = 1) -> bytes:
    """Write a private key file whose open part names this key; the rest is not read."""
    body = b"openssh-key-v1\0" + string(b"none") + string(b"none") + string(b"")
    body += count.to_bytes(4, "big") + string(public) + string(b"")
    begin, end = (f"-----{word} OPENSSH PRIVATE KEY-----\n".encode() for word in ("BEGIN", "END"))
    return begin + base64.encodebytes(body) + end


def test_the_file_of_a_security_key_is_left_to_the_program(tmp_path: Path) -> None:
    token = ed25519_token().public
    (tmp_path / "key").write_bytes(openssh_file(token.blob))
    signer = load_signer(str(tmp_path / "key"), NO_PROGRAMS)
    assert isinstance(signer, ProgramSigner)
    assert signer.public_key == token


def test_a_file_that_holds_two_keys_is_refused(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(openssh_file(ed25519_token().public.blob, count=2))
    with pytest.raises(InputError, match="2 keys instead of one"):
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)


def test_a_key_on_a_curve_nobody_knows_is_refused_in_words(tmp_path: Path) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    der = private.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    known, unknown = (bytes.fromhex(f"06082a8648ce3d0301{last}") for last in ("07", "06"))
    assert known in der
    body = base64.encodebytes(der.replace(known, unknown))
    pem = b"-----BEGIN PRIVATE KEY-----\n" + body + b"-----END PRIVATE KEY-----\n"
    (tmp_path / "key").write_bytes(pem)
    with pytest.raises(InputError, match="cannot be used"):
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello\n",
        b"\xff\xfe\0",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\n!!\n-----END OPENSSH PRIVATE KEY-----\n",
        b"-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n",
        b"-----BEGIN RSA PRIVATE KEY-----\nAAAA\n",
        b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n",
    ],
)
def test_a_file_that_holds_no_key_is_refused_in_words(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(data)
    with pytest.raises(InputError, match="no key that can be used") as error:
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)
    assert problem_of(error)[0] == "key-unreadable"


@pytest.mark.parametrize(
    "private", [x25519.X25519PrivateKey.generate(), dsa.generate_private_key(1024)]
)
def test_a_key_of_a_kind_that_is_not_accepted_is_refused(
    private: x25519.X25519PrivateKey | dsa.DSAPrivateKey, tmp_path: Path
) -> None:
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key").write_bytes(pem)
    with pytest.raises(InputError, match="not accepted"):
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)


def test_an_ed25519_key_in_pkcs8_signs(tmp_path: Path) -> None:
    private = Ed25519PrivateKey.generate()
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key").write_bytes(pem)
    assert_signs(load_signer(str(tmp_path / "key"), NO_PROGRAMS), tmp_path)


def test_a_missing_key_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such key file") as error:
        load_signer(str(tmp_path / "key"), NO_PROGRAMS)
    assert problem_of(error)[0] == "key-missing"
    with pytest.raises(InputError, match="cannot be read"):
        load_signer(str(tmp_path), NO_PROGRAMS)


FOREIGN = {
    "PuTTY": (b"PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "a PuTTY key", "puttygen"),
    "RFC 4716": (b"---- BEGIN SSH2 PUBLIC KEY ----\n", "a public key", "ssh-keygen -i -f"),
    "PEM public": (b"-----BEGIN PUBLIC KEY-----\n", "a public key", "ssh-keygen -i -m PKCS8"),
    "PKCS1": (b"-----BEGIN RSA PUBLIC KEY-----\n", "a public key", "ssh-keygen -i -m PEM"),
    "OpenPGP": (b"-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "an OpenPGP key", "ssh-keygen -t"),
    "X.509": (b"-----BEGIN CERTIFICATE-----\n", "an X.509 certificate", "ssh-keygen -t"),
    "SSH certificate": (
        b"ssh-ed25519-cert-v01@openssh.com AAAA alice\n", "an SSH certificate", "name the key",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_key_of_another_kind_is_named_with_the_way_to_a_usable_one(
    kind: str, tmp_path: Path
) -> None:
    data, what, command = FOREIGN[kind]
    (tmp_path / "a key").write_bytes(data)
    with pytest.raises(InputError, match=f"is {what}") as error:
        load_signer(str(tmp_path / "a key"), NO_PROGRAMS)
    code, hint = problem_of(error)
    assert code == "key-unreadable"
    assert hint.startswith(command)
    assert str(tmp_path) not in hint or f"'{tmp_path}/a key" in hint


def test_the_commands_for_public_keys_in_other_forms_make_usable_ones(tmp_path: Path) -> None:
    public = keygen(tmp_path / "key", "rsa")
    for form in ("RFC4716", "PKCS8", "PEM"):
        file = tmp_path / form
        command = ["ssh-keygen", "-e", "-m", form, "-f", str(tmp_path / "key.pub")]
        file.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
        with pytest.raises(InputError) as error:
            load_signer(str(file), NO_PROGRAMS)
        subprocess.run(["sh", "-c", problem_of(error)[1]], check=True)
        assert load_signer(str(file) + ".pub", NO_PROGRAMS).public_key == public


def test_a_real_certificate_is_refused_in_words_and_its_key_is_named(tmp_path: Path) -> None:
    keygen(tmp_path / "authority")
    public = keygen(tmp_path / "key")
    certify = ["-s", str(tmp_path / "authority"), "-I", "alice", "-n", "alice"]
    subprocess.run(["ssh-keygen", "-q", *certify, str(tmp_path / "key.pub")], check=True)
    certificate = tmp_path / "key-cert.pub"
    for named in (str(certificate), certificate.read_text(), f"key::{certificate.read_text()}"):
        with pytest.raises(InputError, match="an SSH certificate"):
            load_signer(named, NO_PROGRAMS)
    with pytest.raises(InputError) as error:
        load_signer(str(certificate), NO_PROGRAMS)
    key = problem_of(error)[1].split()[1]
    assert load_signer(key, NO_PROGRAMS).public_key == public


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Give up the right to read everything, where the tests run with it."""
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


def test_a_key_that_may_not_be_read_says_so(tmp_path: Path, as_nobody: None) -> None:
    if os.geteuid() != 65534:
        tmp_path.chmod(0)
    for named in (tmp_path / "key", tmp_path / "key.pub"):
        with pytest.raises(InputError, match="may not be read") as error:
            load_signer(str(named), NO_PROGRAMS)
        assert problem_of(error)[1].startswith(f"ls -l {named}")
    if os.geteuid() != 65534:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("ending", ["none", "CRLF", "blank line before"])
def test_a_key_that_went_through_a_ci_secret_still_signs(ending: str, tmp_path: Path) -> None:
    public = keygen(tmp_path / "key")
    data = (tmp_path / "key").read_bytes()
    changed = {
        "none": data.rstrip(),
        "CRLF": data.replace(b"\n", b"\r\n"),
        "blank line before": b"\n" + data,
    }
    (tmp_path / "key").write_bytes(changed[ending])
    assert load_signer(str(tmp_path / "key"), NO_PROGRAMS).public_key == public


def test_a_home_that_nobody_has_is_no_crash() -> None:
    with pytest.raises(InputError, match="there is no such key file"):
        load_signer("~nobody-of-this-name/key", NO_PROGRAMS)
