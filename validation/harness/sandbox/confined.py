"""Last step before an untrusted program: restrict this process, then execute the program.

Run as a script: `python -I -S confined.py ORDER`, where ORDER is a JSON object. The sandbox has no
package to import, only this file and `restrictions.py`. It is a separate process because Python
code between fork and exec is unsafe in a caller with threads.
"""

import ctypes
import json
import os
import resource
import sys
from typing import Any

sys.path.append(os.path.dirname(__file__))
import restrictions  # type: ignore[import-not-found]

PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH = 2, 2
CAPABILITY_VERSION = 0x20080522
SYS_CAPSET = {"x86_64": 126, "aarch64": 91}


def main(order: dict[str, Any]) -> None:
    # If memory runs out, the kernel should kill this process rather than the database.
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    if order["cgroup"] >= 0:
        os.write(order["cgroup"], b"0")
    close_all_but(order["pass_fds"])
    for name, value in order["limits"].items():
        restrictions.set_limit(getattr(resource, name), value)
    if order["landlock"]:
        restrictions.enter_landlock(**order["landlock"])
    if order["uid"]:
        change_user(order["uid"], keep_reading=bool(order["landlock"]))
    # Set this limit after the change of user, because the kernel counts processes by user.
    restrictions.set_limit(resource.RLIMIT_NPROC, order["processes"])
    if order["seccomp"]:
        restrictions.filter_system_calls(bytes.fromhex(order["seccomp"]))
    os.execvpe(order["argv"][0], order["argv"], os.environ)  # noqa: S606 - there is no shell


def close_all_but(kept: list[int]) -> None:
    after = 3
    for fd in sorted(kept):
        os.closerange(after, fd)
        after = fd + 1
    os.closerange(after, resource.getrlimit(resource.RLIMIT_NOFILE)[0])


def change_user(uid: int, *, keep_reading: bool) -> None:
    """Change from root to another user.

    keep_reading: keep root's right to read all files. Landlock then limits the readable paths.
    """
    restrictions.prctl(restrictions.PR_SET_KEEPCAPS, int(keep_reading))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if keep_reading:
        header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
        held = 1 << CAP_DAC_READ_SEARCH
        sets = (ctypes.c_uint32 * 6)(held, held, held, 0, 0, 0)
        number = SYS_CAPSET[os.uname().machine]
        restrictions.checked(restrictions.libc.syscall(number, header, sets))
        restrictions.prctl(restrictions.PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_READ_SEARCH)


if __name__ == "__main__":
    try:
        main(json.loads(sys.argv[1]))
    except OSError as error:
        sys.stderr.write(f"The program could not be confined or started: {error}\n")
        sys.exit(126)
