"""Keeps Python's garbage collector from looking through what a long walk is holding anyway."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Let no garbage be looked for meanwhile; what is not used any more is freed all the same.

    A walk makes values that point at nothing that points back, and keeps many of them, which the
    collector would go through again and again.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
