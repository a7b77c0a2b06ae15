"""Keeps an attempt's lease while its process lives, however long it has nothing to tell.

Loading a detector or torch takes as long as the machine is busy, and says nothing meanwhile: where
that outlasted the lease, each attempt was given to another before it had begun, for ever. That a
job gets on is the queue's time limit to see to.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import Error, connection


@contextmanager
def beating(renew: Callable[[], bool]) -> Iterator[None]:
    """Call `renew` four times a lease, in a thread with a connection of its own, until it says
    that there is nothing to renew."""
    stopped = threading.Event()

    def beat() -> None:
        while not stopped.wait(settings.LEASE_SECONDS / 4):
            try:
                if not renew():
                    break
            except Error:
                # A database that is away comes back, or the lease runs out.
                connection.close()
        connection.close()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(5)
