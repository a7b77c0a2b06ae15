"""Control of Python's garbage collector while a repository is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause cyclic garbage collection. Never hold this open over a `yield` to a caller.

    The collector would walk every statement of every cached tree and free no memory. The only
    cycle, of a module and its kernels, is cut when a module is evicted.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # Freeze the objects made inside, until `collector_resumed` unfreezes them.
            gc.freeze()
            gc.enable()


def collector_resumed() -> None:
    """Return frozen objects to the collector, after the repository is read."""
    gc.unfreeze()
