"""A Landlock domain for this process and all that it starts, as of landlock(7).

Standard library only, and nothing of this package: `confined.py` imports this file by its folder.
"""

import ctypes
import os
import sys
from collections.abc import Sequence

CREATE, ADD, RESTRICT = 444, 445, 446
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEVICE | TRUNCATE
# The number of file rights that each version of the kernel's interface knows.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
EVERY_NETWORK_RIGHT = 0b11
EVERY_SCOPE = 0b11
NETWORK_SINCE, SCOPES_SINCE = 4, 6

libc = ctypes.CDLL(None, use_errno=True)


def version() -> int:
    """Return the version of the kernel's interface, 0 where Landlock is absent or turned off."""
    found: int = libc.syscall(CREATE, None, 0, 1)
    return max(0, found)


def enter(
    readable: Sequence[str],
    writable: Sequence[str],
    devices: Sequence[str],
    unlisted: Sequence[str] = (),
) -> None:
    """Restrict the calling thread, and all that it starts, to these paths.

    `unlisted`: folders to read and write in for who knows a name there; they can't be listed.
    Paths that are absent are left out.
    """
    known = version()
    files = (1 << FILE_RIGHTS.get(known, 16)) - 1
    network = EVERY_NETWORK_RIGHT if known >= NETWORK_SINCE else 0
    scopes = EVERY_SCOPE if known >= SCOPES_SINCE else 0
    ruleset = (ctypes.c_uint64 * 3)(files, network, scopes)
    rules = _done(libc.syscall(CREATE, ruleset, ctypes.sizeof(ruleset), 0))
    write = files & ~(EXECUTE | IOCTL_DEVICE)
    for paths, rights in (
        (readable, READ),
        (writable, write),
        (devices, files & DEVICE),
        (unlisted, write & ~READ_DIR),
    ):
        for path in paths:
            _allow(rules, path, rights)
    _done(libc.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), 0, 0, 0))
    _done(libc.syscall(RESTRICT, rules, 0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        rights &= ON_FILES
    rule = rights.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
    _done(libc.syscall(ADD, rules, 1, rule, 0))
    # A rule holds an inode. The kernel may forget that of a process's folder in /proc and make
    # another, which no rule holds, unless the folder stays open.
    if not path.startswith("/proc/self"):
        os.close(fd)


def _done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
