"""Main loop of a child: requests come over its channel, and each answer goes into a file."""

import errno
import os
import resource
import socket
import sys
from contextlib import suppress
from typing import Any

from validation.harness.pool.channel import Blob, Channel, read_parcel, write_parcel
from validation.harness.worker.cleanup import empty_folder
from validation.harness.worker.folder import described
from validation.harness.worker.gpu import give_back


def serve(end: socket.socket, folder: str, program: Any) -> None:
    """Serve requests with the program's roles until the other end closes the channel.

    The entry's code affects only the values that it returns. `folder` is emptied for each role.
    """
    channel, roles = Channel(end), program.ROLES
    if program.HAS_COMPILE_BUDGET:
        announce_compiling(channel)
    # Attack: the entry's code changes modules of the harness. Defense: it can't import them, and
    # this loop uses only names that were bound before.
    for name in [name for name in sys.modules if name.partition(".")[0] == "validation"]:
        del sys.modules[name]
    read, write, close, size, cut = read_parcel, write_parcel, os.close, os.fstat, os.ftruncate
    describe, empty, go, give = described, empty_folder, os.chdir, give_back
    role: Any = None
    order: Any = None
    blobs: list[memoryview] = []
    while (received := channel.receive()) is not None:
        message, fds = received
        broken = False
        try:
            try:
                order, blobs = read(fds[0])
            finally:
                close(fds[0])
            if message["begin"]:
                go(folder)
                empty(folder)
                # Free the old role's tensors before the next role's start frees unused GPU memory.
                role = None
                role = roles[message["begin"]](order)
            header, out = getattr(role, message["step"])(order, blobs)
            give()
        except Exception as error:  # noqa: BLE001 - a CUDA error stays in every later call
            header, out, broken = {"broken": describe(error)}, [], True
        spoiled = size(fds[1]).st_size != 0
        try:
            write(fds[1], [header, spoiled], out)
        except OSError as error:
            # Answer with the reason, because without an answer the failure would be unexplained.
            cut(fds[1], 0)
            header, broken = {"broken": _unwritten(out, error)}, True
            write(fds[1], [header, spoiled], [])
        close(fds[1])
        with suppress(BrokenPipeError):
            channel.send({"done": message["nonce"]})
        if broken:
            break
        order, blobs = None, []
        del header, out


def announce_compiling(channel: Channel) -> None:
    """Report to the other end when Triton begins and ends compiling, because compiling has its own
    time limit. Triton's listener would only report the end."""
    triton: Any = sys.modules.get("triton")
    if triton is None or os.environ.get("TRITON_INTERPRET") == "1":
        return
    compile_kernel, nested = triton.compiler.compile, False

    def announced(*args: Any, **kwargs: Any) -> Any:
        nonlocal nested
        if nested:
            return compile_kernel(*args, **kwargs)
        nested = True
        channel.send({"compiling": True})
        try:
            return compile_kernel(*args, **kwargs)
        finally:
            channel.send({"compiling": False})
            nested = False

    # torch.compile calls `triton.compile`, a kernel's launch calls `triton.compiler.compile`.
    triton.compile = triton.compiler.compile = announced


def _unwritten(blobs: list[Blob], error: OSError) -> str:
    held = sum(memoryview(blob).nbytes for blob in blobs)
    if error.errno == errno.EFBIG:
        most = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
        return f"its tensors take {held >> 20:,} MiB, and {most >> 20:,} are the most to hand over"
    return f"its tensors, {held >> 20:,} MiB, could not be handed over: {error.strerror}"
