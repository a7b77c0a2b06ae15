"""Run a command of root with a user namespace of two users: root, and the sandbox's.

A script: `python -I -S user_namespace.py COMMAND…`. `{}` in the command becomes the number of an
open file that names the namespace. bubblewrap's own namespaces have one user. If root starts it,
that user is root to the kernel, which never limits root's number of processes.
"""

import ctypes
import os
import sys

CLONE_NEWUSER = 0x10000000
SANDBOX_UID = 65534


def main(command: list[str]) -> None:
    namespace = make()
    os.set_inheritable(namespace, True)
    command = [part.replace("{}", str(namespace)) for part in command]
    os.execv(command[0], command)  # noqa: S606 - there is no shell


def make() -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    made, child_made = os.pipe()
    mapped_child, mapped = os.pipe()
    child = os.fork()
    if not child:
        os.close(mapped)
        failed = libc.unshare(CLONE_NEWUSER)
        os.write(child_made, b"-" if failed else b"+")
        os.read(mapped_child, 1)
        os._exit(0)
    os.close(child_made)
    if os.read(made, 1) != b"+":
        raise OSError("no user namespace can be made here")
    for kind in ("uid", "gid"):
        with open(f"/proc/{child}/{kind}_map", "w") as file:
            file.write(f"0 0 1\n{SANDBOX_UID} {SANDBOX_UID} 1\n")
    namespace = os.open(f"/proc/{child}/ns/user", os.O_RDONLY)
    for fd in (made, mapped, mapped_child):
        os.close(fd)
    os.waitpid(child, 0)
    return namespace


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except OSError as error:
        sys.stderr.write(f"No user namespace: {error}\n")
        sys.exit(126)
