"""Heartbeat: renews an attempt's lease, and interrupts the work when the lease is lost.

Loading a license detector or torch reports no progress. On a busy machine it may take longer than
the lease. Without a heartbeat, each attempt would lose its lease before its work began. A job that
hangs is ended by the time limit of the queue.

A run that was cancelled, or given to another worker, has lost its token. The heartbeat sees that
within `BEAT_SECONDS` and raises in the main thread, so that the work cleans up after itself: it
kills its sandboxes and git, and removes its folders. If that takes longer than `GRACE_SECONDS`, the
process kills itself; sandboxed processes die with it.
"""

import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

from django.conf import settings
from django.db import Error, connection

log = logging.getLogger(__name__)

BEAT_SECONDS = 2.0
GRACE_SECONDS = 20.0
INTERRUPT = signal.SIGUSR1

# Exports fork. The child processes must inherit neither a connection nor a held lock.
_forking = threading.Lock()
os.register_at_fork(
    before=_forking.acquire,
    after_in_parent=_forking.release,
    after_in_child=_forking.release,
)


@contextmanager
def beating(beat: Callable[[], bool], lost: Callable[[], BaseException]) -> Iterator[None]:
    """Call `beat` from a thread with a separate connection. When it returns False, raise `lost()`.

    `lost()` is raised only in the main thread, because Python can't interrupt another thread.
    """
    stopped = threading.Event()
    in_main = threading.current_thread() is threading.main_thread()

    def run() -> None:
        while not stopped.wait(min(BEAT_SECONDS, settings.LEASE_SECONDS / 4)):
            if not _held(beat):
                if in_main:
                    _interrupt(stopped)
                return

    def interrupted(*_: object) -> NoReturn:
        raise lost()

    before = signal.signal(INTERRUPT, interrupted) if in_main else None
    thread = threading.Thread(target=run, name="heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join(5)
        if in_main:
            signal.signal(INTERRUPT, before)


def _held(beat: Callable[[], bool]) -> bool:
    with _forking:
        try:
            return beat()
        except Error:
            # An unavailable database does not mean a lost lease. But the lease may run out
            # meanwhile.
            return True
        finally:
            connection.close()


def _interrupt(stopped: threading.Event) -> None:
    if stopped.is_set():
        return
    signal.pthread_kill(threading.main_thread().ident or 0, INTERRUPT)
    if not stopped.wait(GRACE_SECONDS):
        log.error("The work did not stop within %g seconds: its process is killed", GRACE_SECONDS)
        os.kill(os.getpid(), signal.SIGKILL)
