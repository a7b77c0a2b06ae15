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


def enter_landlock(**paths: list[str]) -> None:
    # Only outside of namespaces, where the file beside this one can be read.
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import landlock  # type: ignore[import-not-found]

    landlock.enter(**paths)


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
