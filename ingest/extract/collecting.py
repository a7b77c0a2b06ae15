"""Python's cyclic garbage collector, out of the way while a repository is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic collections inside; never hold it open over a `yield` to a caller.

    The collector would walk over every statement of every held tree again and again, to find
    nothing: the one circle there is, of a module and its kernels, is cut when a module goes.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # What was made meanwhile is not looked through either, until `collector_resumed`.
            gc.freeze()
            gc.enable()


def collector_resumed() -> None:
    """The repository is read: what is left of it is the collector's again."""
    gc.unfreeze()
