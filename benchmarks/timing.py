"""What programs cost: CPU time, children included, which is steadier than the clock; memory."""

import os
import resource
import subprocess
from collections.abc import Callable, Sequence


def cpu_seconds(action: Callable[[], object]) -> float:
    """Run an action that waits for the processes it starts; give their user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def peak_mib(command: Sequence[str]) -> float:
    """Run a command, whatever its answer, and give the most memory it held at once."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_maxrss / 1024
