"""A fork bomb is ended before other children can't fork."""

import time
from collections.abc import Iterator

import pytest

from validation.harness.pool.children import ChildEnded
from validation.harness.pool.fork_server import PROCESSES, ForkServer

pytestmark = pytest.mark.slow

TOGETHER = 700
REFERENCE = "def double(x):\n    return x + x\n"
TEST = """\
CASES = [{"n": 4}]


def make_inputs(case, seed, device):
    import torch

    return (torch.zeros(case["n"]),)
"""
BOMB = f"""\
import os
import time

for _ in range({PROCESSES * 4}):
    if os.fork() == 0:
        time.sleep(60)
        os._exit(0)
"""
AS_MANY_AS_ALLOWED = f"""\
import os
import time

for _ in range({PROCESSES // 2}):
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
time.sleep(0.6)
"""


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    """As on a GPU, where a compiler must be able to start programs."""
    made = ForkServer(
        "interpreter", memory=4 << 30, cpu_seconds=60, level=None, processes=TOGETHER, programs=True
    )
    made.open()
    yield made
    made.close()


def cases(fork_server: ForkServer, test_code: str) -> object:
    child = fork_server.child()
    order = {"python_code": REFERENCE, "test_code": test_code, "entry_point": "double"}
    try:
        return child.ask("author", "cases", order, 50.0).header
    finally:
        child.release()


def test_a_fork_bomb_is_killed_with_all_its_processes(
    fork_server: ForkServer,
) -> None:
    started = time.monotonic()
    with pytest.raises(ChildEnded) as ended:
        cases(fork_server, BOMB + TEST)
    assert ended.value.why == "processes"
    # No process that sleeps for a minute is waited for, and the next child can be forked.
    assert time.monotonic() - started < 30
    assert "error" not in cases(fork_server, TEST)  # type: ignore[operator]


def test_an_entry_may_start_the_processes_that_a_compiler_needs(fork_server: ForkServer) -> None:
    assert "error" not in cases(fork_server, AS_MANY_AS_ALLOWED + TEST)  # type: ignore[operator]
