"""gunicorn settings: the address from the environment, and threads for slow clients."""

import os
import socket
import struct
from typing import Any

from curation.operations import logs

bind = f"{os.environ.get('HOST', '127.0.0.1')}:{os.environ.get('PORT', '8000')}"
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# A thread may wait for a slow client or a long search while others serve.
threads = int(os.environ.get("WEB_THREADS", "4"))
worker_class = "curation.fair_worker.FairWorker"
# Close each connection, because an open one stays with its process, even if that is busy.
keepalive = 0
timeout = 60
graceful_timeout = 10
# The heartbeat file of each worker must not be on a disk that can stall.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108
# `curation.operations.access_log` logs the requests.
logconfig_dict = logs.config()
# Disable gunicorn's control socket, which is attack surface without a use.
control_socket_disable = True

# Seconds to wait for a client that stops sending in mid-request. gunicorn has no such timeout.
CLIENT_SECONDS = int(os.environ.get("CLIENT_SECONDS", "15"))


def post_fork(server: Any, worker: Any) -> None:
    """Set the timeout on the listening sockets: connections inherit it."""
    patience = struct.pack("ll", CLIENT_SECONDS, 0)
    for listener in worker.sockets:
        for option in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, option, patience)
