"""A child that serves several entries empties its folder between them."""

import os
import resource
from collections.abc import Iterator
from typing import Any

import pytest

from validation.harness.pool.children import Child, ChildEnded
from validation.harness.pool.fork_server import ForkServer

pytestmark = pytest.mark.slow

REFERENCE = "def double(x):\n    return x + x\n"
LEAVES = """\
import os
from pathlib import Path

home = Path(os.environ["HOME"])
(home / "answers.safetensors").write_text("for the next entry")
(home / "closed" / "inner").mkdir(parents=True)
(home / "closed" / "inner" / "answers.jsonl").write_text("for the next entry")
(home / "closed" / "inner").chmod(0)
(home / "elsewhere").symlink_to("/etc")
os.chdir(home / "closed")
CASES = [{"n": 1}]
"""
LOOKS = """\
import os

found = sorted(os.listdir(os.environ["HOME"]))
CASES = [{"here": found, "at": os.getcwd() == os.environ["HOME"], "etc": os.path.isdir("/etc")}]
"""
DEEP = """\
import os

os.chdir(os.environ["HOME"])
for _ in range(3000):
    os.mkdir("deeper")
    os.chdir("deeper")
CASES = [{"n": 1}]
"""
DEEP_AND_STAYS = f"{DEEP}\nimport time\n\ntime.sleep(30)\n"
MAKES = "\n\ndef make_inputs(case, seed, device):\n    return ()\n"


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    """A fork server whose channel has a number above 1,023, which select would refuse."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(hard, 4096)), hard))
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(1024)]
    made = ForkServer("interpreter", memory=4 << 30, cpu_seconds=60, level=None, processes=512)
    made.open()
    for descriptor in others:
        os.close(descriptor)
    yield made
    made.close()
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def case_of(child: Child, test_code: str) -> Any:
    order = {"python_code": REFERENCE, "test_code": test_code + MAKES, "entry_point": "double"}
    # The child begins its role again, as it does for another entry.
    child.role = ""
    return child.ask("author", "cases", order, 50.0).header["cases"][0]


def test_the_next_entry_sees_no_files_of_the_previous_entry(fork_server: ForkServer) -> None:
    child = fork_server.child()
    assert case_of(child, LEAVES) == {"n": 1}
    seen = case_of(child, LOOKS)
    assert [name.partition("-")[0] for name in seen.pop("here")] == ["entry"]
    assert seen == {"at": True, "etc": True}


@pytest.mark.parametrize("test_code", [LEAVES, DEEP])
def test_leftover_files_do_not_end_the_fork_server(fork_server: ForkServer, test_code: str) -> None:
    parent, child = fork_server._process, fork_server.child()
    try:
        assert case_of(child, test_code) == {"n": 1}
    except ChildEnded as ended:
        # Measured in time: that depends on the machine.
        assert ended.why == "disk"
    child.release()
    child._over.wait(10)
    # If it had died, another would have been started.
    assert case_of(fork_server.child(), LOOKS)["at"]
    assert fork_server._process is parent


def test_a_child_with_too_deep_a_folder_is_ended_for_its_disk_use(fork_server: ForkServer) -> None:
    with pytest.raises(ChildEnded) as ended:
        case_of(fork_server.child(), DEEP_AND_STAYS)
    assert ended.value.why == "disk"
