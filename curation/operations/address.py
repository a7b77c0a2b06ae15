"""Address of the site on this machine: a free port, a health check, and the data folder's lock."""

import fcntl
import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from curation.errors import CurationError

LOCK = "up.lock"
EVERYWHERE = ("0.0.0.0", "::", "[::]", "")  # noqa: S104


class AddressUnusable(CurationError):
    """The site can't be served at this address."""


class RunsAlready(CurationError):
    """Another `up` uses the data folder: both would use the same database, queue and log."""


@dataclass(frozen=True, slots=True)
class SiteAddress:
    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self._reachable}:{self.port}"

    @property
    def _reachable(self) -> str:
        """Host to connect to: a server that listens everywhere also listens on this machine."""
        return "127.0.0.1" if self.host in EVERYWHERE else self.host

    def check_free(self) -> None:
        """Refuse a port that is in use."""
        host = self.host.strip("[]")
        try:
            family, kind, protocol, _, place = socket.getaddrinfo(
                host or None, self.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            with socket.socket(family, kind, protocol) as probe:
                # Like the server, ignore connections that are closing.
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(place)
                probe.listen()
        except OSError as error:
            raise AddressUnusable(
                f"Port {self.port} on {self.host or 'this machine'} can't be used "
                f"({error.strerror}). Name another with --port."
            ) from error

    def lacks(self, host_header: str) -> str | None:
        """Return why the site can't be used yet, or None if `/healthz` answers 200."""
        connection = http.client.HTTPConnection(self._reachable.strip("[]"), self.port, timeout=2)
        try:
            connection.request("GET", "/healthz", headers={"Host": host_header})
            response = connection.getresponse()
            body = response.read()
        except (OSError, http.client.HTTPException) as error:
            return f"{self.url} does not answer ({type(error).__name__})."
        finally:
            connection.close()
        if response.status == http.HTTPStatus.OK:
            return None
        return f"{self.url}/healthz answers {response.status}: {_complaints(body)}"


def read(host: str, port: str) -> SiteAddress:
    """Parse an address as entered by a person."""
    if port.isascii() and port.isdigit() and 0 < int(port) < 65536:
        return SiteAddress(host, int(port))
    raise AddressUnusable(f"{port!r} is not a port: write a number from 1 to 65535, such as 8000.")


@contextmanager
def hold_lock(folder: Path, url: str) -> Iterator[None]:
    """Hold the lock on the data folder. The kernel releases it when the process ends."""
    with (folder / LOCK).open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise RunsAlready(
                f"`up` runs already on the data folder {folder} (process "
                f"{lock.readline().strip()}). Stop it first, or point CURATION_DATA at another "
                "folder."
            ) from error
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n{url}\n")
        lock.flush()
        yield


def site_address(folder: Path) -> str:
    """Return the URL at which `up` serves the site, or "" if it does not run here."""
    # Read the file instead of trying its lock, which would fail an `up` that starts meanwhile.
    try:
        pid, url = (folder / LOCK).read_text().splitlines()
        os.kill(int(pid), 0)
    except (OSError, ValueError):
        return ""
    return url


def _complaints(body: bytes) -> str:
    try:
        return " ".join(json.loads(body)["complaints"])
    except (ValueError, LookupError, TypeError):
        return "another program may serve there."
