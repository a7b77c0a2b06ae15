"""Transport to sandboxed processes: JSON messages on a socket, memory files for bulk data.

A parcel is a JSON header and blobs of bytes, in a memory file that the trusted process created. It
is never unpickled, and every offset is checked, because its writer may be hostile.
"""

import errno
import fcntl
import json
import json.encoder
import math
import mmap
import os
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from validation.harness.sandbox.hostile_json import UnreadableJson, read_json

MAGIC = b"parcel01"
HEADER_MOST = 64 << 20
ALIGNMENT = 64
MESSAGE_MOST = 60_000
SEALS = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL
# Pauses in seconds before the attempts to seal a file.
SEAL_PAUSES = (0.0, 0.01, 0.1, 0.5)

# C encoder of JSON, created at import, before an entry can replace methods of Python's encoders.
_ENCODER: Any = json.encoder
ENCODE = _ENCODER.c_make_encoder(
    None, None, _ENCODER.encode_basestring_ascii, None, ":", ",", False, False, True
)

Blob = bytes | bytearray | memoryview


class NotAParcel(Exception):
    """A message or parcel is malformed, so it was not written by this module."""


class Channel:
    """One end of a socket pair that preserves message boundaries."""

    def __init__(self, end: socket.socket) -> None:
        self.socket = end

    @classmethod
    def pair(cls) -> tuple["Channel", "Channel"]:
        one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        return cls(one), cls(other)

    def send(self, message: dict[str, Any], fds: Sequence[int] = ()) -> None:
        socket.send_fds(self.socket, [json.dumps(message).encode()], list(fds))

    def receive(self, timeout: float | None = None) -> tuple[dict[str, Any], list[int]] | None:
        """Return the next message with its files, or None if the other end is closed. Raise
        TimeoutError after `timeout`."""
        self.socket.settimeout(timeout)
        data, fds, _, _ = socket.recv_fds(self.socket, MESSAGE_MOST + 1, 8)
        if not data:
            return None
        try:
            message = read_json(data, MESSAGE_MOST, verbatim=True)
        except UnreadableJson:
            message = None
        if not isinstance(message, dict):
            for fd in fds:
                os.close(fd)
            raise NotAParcel("something that is no message was written to the channel")
        return message, list(fds)

    def close(self) -> None:
        self.socket.close()


def write_parcel(fd: int, header: Any, blobs: Sequence[Blob] = ()) -> None:
    views = [memoryview(blob).cast("B") if len(blob) else memoryview(b"") for blob in blobs]
    text = "".join(ENCODE([header, [len(view) for view in views]], 0)).encode()
    _write_all(fd, MAGIC + struct.pack("<Q", len(text)) + text, 0)
    place = _aligned(len(MAGIC) + 8 + len(text))
    for view in views:
        _write_all(fd, view, place)
        place = _aligned(place + len(view))
    os.ftruncate(fd, max(place, 1))


def read_parcel(fd: int) -> tuple[Any, list[memoryview]]:
    """Return the header, and views of the blobs, which keep the mapped file alive."""
    size = os.fstat(fd).st_size
    if size < len(MAGIC) + 8:
        raise NotAParcel("the result is empty")
    view = memoryview(mmap.mmap(fd, size, prot=mmap.PROT_READ, flags=mmap.MAP_PRIVATE))
    start = len(MAGIC) + 8
    length = struct.unpack("<Q", view[len(MAGIC) : start])[0]
    if view[: len(MAGIC)] != MAGIC or length > min(HEADER_MOST, size - start):
        raise NotAParcel("the result has no header of ours")
    try:
        text = bytes(view[start : start + length])
        header, sizes = read_json(text, HEADER_MOST, verbatim=True)
        blobs = []
        place = _aligned(start + length)
        for blob_size in sizes:
            if type(blob_size) is not int or not 0 <= blob_size <= size - place:
                raise NotAParcel("the result names bytes that it does not hold")
            blobs.append(view[place : place + blob_size])
            place = _aligned(place + blob_size)
    except (UnreadableJson, ValueError, TypeError) as error:
        raise NotAParcel(f"the result's header can't be read: {error}") from error
    return header, blobs


def memory_file(name: str) -> int:
    return os.memfd_create(name, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)


def seal_file(fd: int) -> None:
    """Forbid all changes of a memory file. Retry briefly while the kernel reports EBUSY, because a
    writable mapping of the file, or a pin of its pages, may exist for a moment."""
    for pause in SEAL_PAUSES:
        time.sleep(pause)
        try:
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, SEALS)
            return
        except OSError as error:
            if error.errno != errno.EBUSY:
                raise
            busy = error
    raise busy


def _aligned(place: int) -> int:
    return math.ceil(place / ALIGNMENT) * ALIGNMENT


def _write_all(fd: int, data: Blob, place: int) -> None:
    view = memoryview(data)
    while len(view):
        done = os.pwrite(fd, view[: 64 << 20], place)
        view, place = view[done:], place + done
