"""The detector in a process of its own: the same answers, and no harm when that process is lost."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.confined.detector import ConfinedScancode
from ingest.licenses.detector import DetectionTookTooLong
from tests.hostile.test_validation_killed import descendants
from tests.ingest.licenses.cases import APACHE_HEADER
from tests.ingest.licenses.small_repository import detector

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def apart() -> ConfinedScancode:
    return ConfinedScancode(seconds=60)


@pytest.mark.parametrize("text", [APACHE_HEADER, "", "\0 \ud800 é", "GPL-2.0 or MIT, line\r\n2"])
def test_the_confined_detector_agrees_with_the_local_one(
    apart: ConfinedScancode, text: str
) -> None:
    assert apart.match(text) == detector().match(text)
    assert apart.name == detector().name


def test_the_detector_skips_a_text_that_kills_it_and_continues(
    apart: ConfinedScancode,
) -> None:
    apart.match(APACHE_HEADER)
    os.kill(process_of(apart), signal.SIGKILL)

    with pytest.raises(DetectionTookTooLong, match="ended on this text"):
        apart.match("Licensed under the MIT license, once more.")

    assert apart.match(APACHE_HEADER) == detector().match(APACHE_HEADER)


def test_a_hung_detector_process_is_killed() -> None:
    apart = ConfinedScancode(seconds=5)
    apart.match(APACHE_HEADER)
    stopped = process_of(apart)
    os.kill(stopped, signal.SIGSTOP)

    with pytest.raises(DetectionTookTooLong, match="did not finish in 5 seconds"):
        apart.match("Licensed under the MIT license, and then silence.")

    assert not Path("/proc", str(stopped)).exists()


def test_the_detector_process_ends_with_its_killed_parent() -> None:
    asking = (
        "import os, signal\n"
        "from ingest.confined.detector import ConfinedScancode\n"
        "apart = ConfinedScancode()\n"
        "apart.match('MIT License')\n"
        "print(apart.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    asker = subprocess.run([sys.executable, "-c", asking], capture_output=True, text=True)
    child = Path("/proc", asker.stdout.strip())

    assert asker.returncode == -signal.SIGKILL
    wait_until_gone(child)


def process_of(apart: ConfinedScancode) -> int:
    """The innermost process, which those around it confine."""
    assert apart.pid is not None
    return [apart.pid, *descendants(apart.pid)][-1]


def wait_until_gone(process: Path) -> None:
    if process.exists():
        descriptor = os.pidfd_open(int(process.name))
        gone, _, _ = select.select([descriptor], [], [], 20)
        os.close(descriptor)
        assert gone, "the detector outlived its asker"
