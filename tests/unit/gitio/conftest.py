"""An environment in which nobody can be asked, and an agent of its own."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ssh_keys import PASSPHRASE


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """An environment without an agent, in which a prompt would leave a trace."""
    trace = tmp_path / "prompted"
    askpass = tmp_path / "askpass"
    askpass.write_text(f"#!/bin/sh\ntouch '{trace}'\necho '{PASSPHRASE}'\n", encoding="utf-8")
    askpass.chmod(0o700)
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "SSH_ASKPASS": str(askpass),
        "SSH_ASKPASS_REQUIRE": "force",
        "DISPLAY": ":0",
    }


@pytest.fixture
def agent(tmp_path: Path, environ: dict[str, str]) -> Iterator[dict[str, str]]:
    """An environment with an agent of its own."""
    socket = tmp_path / "agent"
    started = subprocess.run(
        ["ssh-agent", "-s", "-a", socket], check=True, capture_output=True, text=True
    )
    pid = int(started.stdout.split("SSH_AGENT_PID=")[1].split(";")[0])
    yield environ | {"SSH_AUTH_SOCK": str(socket)}
    os.kill(pid, signal.SIGTERM)
