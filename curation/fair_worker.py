"""gunicorn's threaded worker, limited to as many connections as it can serve.

gunicorn's worker accepts every connection, so one process may hold all while another is idle. With
this worker, connections wait in the system, and a process accepts one if a thread is free. With
four sync workers instead, four silent connections delay the next answer by 17 s (2026-11-26).
"""

import errno
import selectors
import socket
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

# Number of connections at once, because one thread fills a core. A request that takes longer than
# FRESH_SECONDS waits for a lock or a slow client. It does not count while threads are free.
AT_ONCE, FRESH_SECONDS = 1, 0.05
# Browsers open connections ahead of need. A connection without a request is closed after this time.
SILENT_SECONDS = 15.0
# After the response, the client should close the connection. Until then, up to these limits, its
# data is read, because closing early could cut the response off.
LINGER_SECONDS, LINGER_BYTES = 2.0, 65536
AGAIN = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)


class FairWorker(ThreadWorker):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._began: dict[TConn, float] = {}
        self._leaving: dict[TConn, int] = {}

    def set_accept_enabled(self, enabled: bool) -> None:
        super().set_accept_enabled(enabled and self._has_room())

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        if not self.alive:
            for conn in self.pending_conns:
                conn.timeout = 0.0
        # The loop that waits for events also finishes requests, which frees threads.
        super().wait_for_and_dispatch_events(
            timeout if self._accepting else min(timeout, FRESH_SECONDS)
        )
        now = time.monotonic()
        for conn in [each for each in self._leaving if each.timeout <= now]:
            self._leave(conn)

    def accept(self, listener: socket.socket) -> None:
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno not in AGAIN:
                raise
            return
        self.nr_conns += 1
        conn = TConn(self.cfg, client, address, listener.getsockname())
        if conn.wait_for_data(0):
            conn.data_ready = True
            self.enqueue_req(conn)
            return
        client.setblocking(False)
        conn.timeout = time.monotonic() + SILENT_SECONDS
        self.pending_conns.append(conn)
        spoke = partial(self.on_pending_socket_readable, conn)
        self.poller.register(client, selectors.EVENT_READ, spoke)

    def enqueue_req(self, conn: TConn) -> None:
        self._began[conn] = time.monotonic()
        super().enqueue_req(conn)
        if not self._has_room():
            super().set_accept_enabled(False)

    def finish_request(self, conn: TConn, done: "Future[Any]") -> None:
        self._began.pop(conn, None)
        if done.cancelled() or done.exception() or done.result():
            super().finish_request(conn, done)
            return
        # gunicorn's method waits here until the client hangs up, and so blocks all other requests.
        try:
            conn.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.nr_conns -= 1
            conn.close()
            return
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + LINGER_SECONDS
        self._leaving[conn] = 0
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._hear_out, conn))

    def _hear_out(self, conn: TConn, client: socket.socket) -> None:
        try:
            received = len(client.recv(4096))
        except BlockingIOError:
            return
        except OSError:
            received = 0
        self._leaving[conn] += received
        if not received or self._leaving[conn] > LINGER_BYTES:
            self._leave(conn)

    def _leave(self, conn: TConn) -> None:
        del self._leaving[conn]
        self.poller.unregister(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _has_room(self) -> bool:
        late = time.monotonic() - FRESH_SECONDS
        fresh = sum(began > late for began in self._began.values())
        return fresh < AT_ONCE and len(self._began) < self.cfg.threads
