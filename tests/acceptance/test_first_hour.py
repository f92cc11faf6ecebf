"""The contract script, run unmodified against the installed command where it is at hand."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SESSION = Path(__file__).parents[2].parent / "shared" / "cases" / "first-hour.sh"


@pytest.mark.skipif(not SESSION.exists(), reason="the contract script is not beside the project")
@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="the script needs ssh-keygen")
def test_the_first_hour_goes_as_agreed(tmp_path: Path) -> None:
    scripts = Path(sys.executable).parent
    assert (scripts / "agentpolicy").exists(), "the script runs the installed command"
    environ = {"PATH": f"{scripts}:{os.environ['PATH']}", "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        ["bash", str(SESSION)], env=environ, cwd=tmp_path, capture_output=True, check=False
    )
    output = done.stdout.decode() + done.stderr.decode()
    assert done.returncode == 0, output
    assert "0 fell short" in output
