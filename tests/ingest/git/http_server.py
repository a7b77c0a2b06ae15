"""A real git server over HTTP on the loopback: `git http-backend` behind http.server."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

from ingest.git import Network
from tests.ingest.git.repositories import ENVIRONMENT

LOCAL_WEB = Network(protocols=("http",), allowed_hosts=("127.0.0.1",))


@dataclass(slots=True)
class GitServer:
    """Where it listens, what it was asked, and how it misbehaves."""

    root: Path
    port: int = 0
    requests: list[str] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    status: int = 200
    redirect: str = ""
    moved: dict[str, str] = field(default_factory=dict)
    """New starts of addresses, by the old start of a path."""
    stall_seconds: float = 0.0
    stalled: threading.Event = field(default_factory=threading.Event)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"


@contextmanager
def serving(root: Path) -> Iterator[GitServer]:
    """Serve every repository below `root`."""
    state = GitServer(root)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers.get("content-length", 0))))

        def _answer(self, body: bytes) -> None:
            state.requests.append(f"{self.command} {self.path}")
            state.authorizations.append(self.headers.get("authorization", ""))
            old = next((old for old in state.moved if self.path.startswith(old)), "")
            if state.redirect or old:
                moved = f"{state.moved.get(old)}{self.path.removeprefix(old)}"
                self.send_response(302)
                self.send_header("location", state.redirect or moved)
                self.end_headers()
                return
            if state.status != 200:
                self.send_response(state.status)
                if state.status == 401:
                    self.send_header("www-authenticate", 'Basic realm="git"')
                self.end_headers()
                return
            head, payload = self._backend(body)
            lines = [line.partition(": ") for line in head.decode().splitlines()]
            status = next((v.split()[0] for n, _, v in lines if n.lower() == "status"), "200")
            self.send_response(int(status))
            for name, _, value in lines:
                if name.lower() != "status":
                    self.send_header(name, value)
            self.end_headers()
            if state.stall_seconds and b"PACK" in payload:
                self.wfile.write(payload[: len(payload) // 2])
                self.wfile.flush()
                state.stalled.set()
                time.sleep(state.stall_seconds)
                return
            self.wfile.write(payload)

        def _backend(self, body: bytes) -> tuple[bytes, bytes]:
            url = urlsplit(self.path)
            environment = ENVIRONMENT | {
                "GIT_PROJECT_ROOT": str(state.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "CONTENT_TYPE": self.headers.get("content-type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("content-encoding", ""),
                "GIT_PROTOCOL": self.headers.get("git-protocol", ""),
                "REMOTE_ADDR": "127.0.0.1",
            }
            done = subprocess.run(
                ["git", "http-backend"],
                input=body,
                env=environment,
                capture_output=True,
                check=False,
            )
            head, _, payload = done.stdout.partition(b"\r\n\r\n")
            return head, payload

        def log_message(self, format: str, *args: object) -> None:
            pass

    with listening(Handler) as state.port:
        yield state


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """Serve on a port of the loopback address, and yield it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.block_on_close = False
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def open_file_count() -> int:
    """How many files this process holds open: what a test compares before and after."""
    return len(os.listdir("/proc/self/fd"))
