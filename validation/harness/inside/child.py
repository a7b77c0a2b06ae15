"""A child's life: tasks come over its own channel, answers go into the file that came with them."""

import os
import socket
import sys
from contextlib import suppress
from typing import Any

from validation.harness.channel import Channel, read_parcel, write_parcel
from validation.harness.inside.author import Author
from validation.harness.inside.candidate import Candidate
from validation.harness.inside.complaint import described
from validation.harness.inside.gpu import Health
from validation.harness.inside.reference import Reference
from validation.harness.inside.stopwatch import Stopwatch
from validation.harness.inside.suite import Suite

ROLES: dict[str, Any] = {
    "author": Author,
    "reference": Reference,
    "candidate": Candidate,
    "suite": Suite,
    "health": Health,
    "timing": Stopwatch,
}


def serve(end: socket.socket) -> None:
    """Until the other end closes. Takes nothing from the entry's code but what it returns."""
    channel, roles = Channel(end), dict(ROLES)
    # The entry's code finds nothing of ours by asking for it.
    for name in [name for name in sys.modules if name.partition(".")[0] == "validation"]:
        del sys.modules[name]
    read, write, close, size = read_parcel, write_parcel, os.close, os.fstat
    describe = described
    role: Any = None
    while (received := channel.receive()) is not None:
        message, fds = received
        order, blobs = read(fds[0])
        close(fds[0])
        broken = False
        try:
            if message["begin"]:
                role = roles[message["begin"]](order)
            header, out = getattr(role, message["step"])(order, blobs)
        except Exception as error:  # noqa: BLE001 - a CUDA error stays in every later call
            header, out, broken = {"broken": describe(error)}, [], True
        spoiled = size(fds[1]).st_size != 0
        write(fds[1], [header, spoiled], out)
        close(fds[1])
        with suppress(BrokenPipeError):
            channel.send({"done": message["nonce"]})
        if broken:
            break
        del order, blobs, header, out
