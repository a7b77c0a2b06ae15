"""Garbage collector settings for long-lived processes.

A process holds some hundred thousand objects of modules that are never freed. A full collection
scans them all again every few thousand allocations. That takes a tenth of an export's time, and
sometimes a tenth of a second of a page. Requests and exports create few reference cycles, so a rare
collection is enough.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

OBJECTS = 50_000


def relieve_collector() -> None:
    """Freeze the present objects and collect rarely, for the life of this process."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS)


@contextmanager
def relieved_collector() -> Iterator[None]:
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(OBJECTS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()
