"""gunicorn's threaded worker, taking in no more connections than it serves.

gunicorn's own accepts whoever comes, so that one process may hold all connections while another has
nothing to do, and who waits in it is not served by whoever is free. Here the kernel keeps them in
the order in which they came, and each process takes the next one when it has room.
"""

import errno
import selectors
import socket
import time
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

# One thread fills a processor. What takes longer than this waits for something, a lock or a slow
# client, and keeps nobody else out while there are threads.
AT_ONCE, FRESH_SECONDS = 1, 0.05
# A browser opens connections ahead of need; one that stays silent is closed.
SILENT_SECONDS = 15.0
# A client that has its answer hangs up; what it still sends is read, or its answer may be cut off.
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
        # Room comes by waiting too.
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
        # gunicorn's own waits here for the client to hang up, and serves nobody meanwhile.
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
            said = len(client.recv(4096))
        except BlockingIOError:
            return
        except OSError:
            said = 0
        self._leaving[conn] += said
        if not said or self._leaving[conn] > LINGER_BYTES:
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
