"""Restrictions that a process sets on itself: resource limits, a system call filter, Landlock.

Only the standard library is imported: `confined.py` imports this file from its folder.
"""

import ctypes
import os
import resource
import sys
from collections.abc import Sequence
from typing import Any

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_SET_SECCOMP = 1, 4, 8, 22
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
SECCOMP_MODE_FILTER = 2

LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = EXECUTE | READ_FILE | READ_DIR
DEVICE = READ_FILE | WRITE_FILE | IOCTL_DEVICE | TRUNCATE
# Number of file rights in each version of Landlock; 16 since version 5.
FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
EVERY_NETWORK_RIGHT, EVERY_SCOPE = 0b11, 0b11
NETWORK_SINCE, SCOPES_SINCE = 4, 6

libc = ctypes.CDLL(None, use_errno=True)


class SeccompProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.c_char_p))


def set_limit(which: int, value: int) -> None:
    """Set a soft and hard resource limit to `value`, or to the current hard limit if lower."""
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        value = min(value, most)
    resource.setrlimit(which, (value, value))


def filter_system_calls(program: bytes) -> None:
    """Install a seccomp filter, given as a BPF program."""
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    filter_ = SeccompProgram(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(filter_))


def landlock_version() -> int:
    """Return the version of the kernel's Landlock interface, 0 without Landlock."""
    version: int = libc.syscall(LANDLOCK_CREATE, None, 0, 1)
    return max(0, version)


def enter_landlock(
    readable: Sequence[str],
    writable: Sequence[str],
    devices: Sequence[str],
    unlisted: Sequence[str] = (),
) -> None:
    """Restrict the calling thread, and all that it starts, to these paths.

    unlisted: folders whose files can be read and written by name, but not listed.

    Paths that do not exist are ignored. See landlock(7).
    """
    version = landlock_version()
    files = (1 << FILE_RIGHTS.get(version, 16)) - 1
    network = EVERY_NETWORK_RIGHT if version >= NETWORK_SINCE else 0
    scopes = EVERY_SCOPE if version >= SCOPES_SINCE else 0
    ruleset = (ctypes.c_uint64 * 3)(files, network, scopes)
    rules = checked(libc.syscall(LANDLOCK_CREATE, ruleset, ctypes.sizeof(ruleset), 0))
    write = files & ~(EXECUTE | IOCTL_DEVICE)
    for paths, rights in (
        (readable, READ),
        (writable, write),
        (devices, files & DEVICE),
        (unlisted, write & ~READ_DIR),
    ):
        for path in paths:
            _allow(rules, path, rights)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    checked(libc.syscall(LANDLOCK_RESTRICT, rules, 0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        rights &= ON_FILES
    rule = rights.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
    checked(libc.syscall(LANDLOCK_ADD, rules, 1, rule, 0))
    # A rule refers to an inode. The kernel may replace the inode of a process's folder in /proc,
    # which voids the rule, unless the folder stays open.
    if not path.startswith("/proc/self"):
        os.close(fd)


def prctl(option: int, *arguments: Any) -> None:
    padded = [ctypes.c_ulong(a) if isinstance(a, int) else a for a in (*arguments, 0, 0, 0, 0)]
    checked(libc.prctl(option, *padded[:4]))


def checked(result: int) -> int:
    """Return the result of a system call, or raise its OSError."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
