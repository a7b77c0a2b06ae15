"""How gunicorn serves the site: the address from the environment, threads for slow readers."""

import os
import socket
import struct
from typing import Any

from curation.collector import relieve_collector
from curation.logs import config as logs

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Some may wait, for a slow client or a long search, while others are served.
threads = int(os.environ.get("WEB_THREADS", "4"))
worker_class = "curation.fair_worker.FairWorker"
# A connection that stays open belongs to one process, however busy that one is.
keepalive = 0
timeout = 60
graceful_timeout = 10
# The heartbeat file of each worker must not stand on a disk that can stall.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
# The line for each request is `curation.logs.access`'s.
logconfig_dict = logs.config()
# gunicorn's control socket is a door that nothing here uses.
control_socket_disable = True

# A client that falls silent in mid-request holds a thread, and gunicorn would wait for ever.
CLIENT_SECONDS = int(os.environ.get("CLIENT_SECONDS", "15"))


def post_fork(server: Any, worker: Any) -> None:
    """Connections inherit the patience of the socket that they came in by."""
    patience = struct.pack("ll", CLIENT_SECONDS, 0)
    for listener in worker.sockets:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, patience)


def post_worker_init(worker: Any) -> None:
    relieve_collector()
