"""The last step before an untrusted program: gives up what it holds, then becomes the program.

A script, run by path as `python -I -S confined.py ORDER…` with one JSON object: inside there is
no package to import from. It runs in a process of its own rather than between fork and exec of
the caller, whose threads make that unsafe.
"""

import ctypes
import json
import os
import resource
import sys
from typing import Any

PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_SET_KEEPCAPS = 1, 22, 8
PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 38, 47, 2
CAP_DAC_READ_SEARCH = 2
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}
LANDLOCK_CREATE, LANDLOCK_ADD, LANDLOCK_RESTRICT = 444, 445, 446

# landlock(7), as of its sixth version.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1, 2, 4, 8
TRUNCATE, IOCTL_DEVICE = 1 << 14, 1 << 15
EVERY_FILE_RIGHT = (1 << 16) - 1
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE
READ = EXECUTE | READ_FILE | READ_DIR
EVERY_NETWORK_RIGHT = 0b11
EVERY_SCOPE = 0b11

libc = ctypes.CDLL(None, use_errno=True)


def main(order: dict[str, Any]) -> None:
    # The kernel's own choice where memory runs out: this rather than the database.
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    if order["cgroup"] >= 0:
        os.write(order["cgroup"], b"0")
    close_all_but(order["pass_fds"])
    for name, value in order["limits"].items():
        limit(name, value)
    if order["landlock"]:
        enter_landlock(**order["landlock"])
    if order["uid"]:
        become(order["uid"], keep_reading=bool(order["landlock"]))
    # After the user has changed: the count is that of the user's processes.
    limit("RLIMIT_NPROC", order["processes"])
    if order["seccomp"]:
        filter_calls(bytes.fromhex(order["seccomp"]))
    os.execvpe(order["argv"][0], order["argv"], os.environ)  # noqa: S606 - there is no shell


def close_all_but(kept: list[int]) -> None:
    after = 3
    for fd in sorted(kept):
        os.closerange(after, fd)
        after = fd + 1
    os.closerange(after, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def limit(name: str, value: int) -> None:
    which = getattr(resource, name)
    most = resource.getrlimit(which)[1]
    if most != resource.RLIM_INFINITY:
        value = min(value, most)
    resource.setrlimit(which, (value, value))


def become(uid: int, *, keep_reading: bool) -> None:
    """Be nobody. `keep_reading` keeps root's way through closed folders to what may be read:
    Landlock says what that is."""
    prctl(PR_SET_KEEPCAPS, int(keep_reading))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if keep_reading:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        held = 1 << CAP_DAC_READ_SEARCH
        sets = (ctypes.c_uint32 * 6)(held, held, held, 0, 0, 0)
        done(libc.syscall(SYS_CAPSET[os.uname().machine], header, sets))
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


def enter_landlock(readable: list[str], writable: list[str], devices: list[str]) -> None:
    ruleset = (ctypes.c_uint64 * 3)(EVERY_FILE_RIGHT, EVERY_NETWORK_RIGHT, EVERY_SCOPE)
    rules = done(libc.syscall(LANDLOCK_CREATE, ruleset, ctypes.sizeof(ruleset), 0))
    for paths, rights in (
        (readable, READ),
        (writable, EVERY_FILE_RIGHT & ~(EXECUTE | IOCTL_DEVICE)),
        (devices, READ_FILE | WRITE_FILE | IOCTL_DEVICE | TRUNCATE),
    ):
        for path in paths:
            allow(rules, path, rights)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    done(libc.syscall(LANDLOCK_RESTRICT, rules, 0))
    os.close(rules)


def allow(rules: int, path: str, rights: int) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        rights &= ON_FILES
    rule = rights.to_bytes(8, sys.byteorder) + fd.to_bytes(4, sys.byteorder)
    done(libc.syscall(LANDLOCK_ADD, rules, 1, rule, 0))
    os.close(fd)


def filter_calls(program: bytes) -> None:
    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.c_char_p))

    prctl(PR_SET_NO_NEW_PRIVS, 1)
    filter_ = Filter(len(program) // 8, program)
    prctl(PR_SET_SECCOMP, 2, ctypes.byref(filter_))


def prctl(option: int, *arguments: Any) -> None:
    padded = [a if not isinstance(a, int) else ctypes.c_ulong(a) for a in (*arguments, 0, 0, 0, 0)]
    done(libc.prctl(option, *padded[:4]))


def done(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as error:
        sys.stderr.write(f"The program could not be confined or started: {error}\n")
        sys.exit(126)
