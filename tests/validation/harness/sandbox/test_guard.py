"""The guard finds all processes of a sandboxed program."""

import subprocess
import sys

import pytest

from validation.harness.sandbox import guard

# A child from a thread, and its child.
FAMILY = """
import os, threading, time

def fork():
    if not os.fork():
        os.fork()
        os.write(1, b"forked\\n")
        time.sleep(600)

threading.Thread(target=fork).start()
time.sleep(600)
"""


@pytest.mark.parametrize("listed", [True, False], ids=["listed by the kernel", "searched"])
def test_the_guard_finds_all_descendants(monkeypatch: pytest.MonkeyPatch, listed: bool) -> None:
    if listed and not guard.KERNEL_LISTS_CHILDREN:
        pytest.skip("this kernel does not list the children of a process")
    monkeypatch.setattr(guard, "KERNEL_LISTS_CHILDREN", listed)
    program = subprocess.Popen([sys.executable, "-c", FAMILY], stdout=subprocess.PIPE)
    assert program.stdout
    assert program.stdout.readline() == b"forked\n"
    assert program.stdout.readline() == b"forked\n"

    below = guard.tree(program.pid)

    child, grandchild = below
    assert guard.field(below[child], b"PPid") == str(program.pid).encode()
    assert guard.field(below[grandchild], b"PPid") == str(child).encode()
    guard.send_signal({*below}, 9)
    program.kill()
    program.wait()
    assert guard.tree(program.pid) == {}
