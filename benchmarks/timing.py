"""CPU time of what a benchmark runs, children included: steadier than the clock."""

import resource
from collections.abc import Callable


def cpu_seconds(action: Callable[[], object]) -> float:
    """Run an action that waits for the processes it starts; give their user and system time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    action()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
