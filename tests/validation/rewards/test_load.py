"""Load by other programs: a kernel's own load is not among it."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from validation.rewards import load as load_module
from validation.rewards.load import Load, own_seconds

BURN = "import time\nwhile time.process_time() < 0.3:\n    pass\n"


def test_the_time_of_ended_children_counts_as_own() -> None:
    before = own_seconds()

    subprocess.run([sys.executable, "-c", BURN], check=True)

    assert own_seconds() - before >= 0.25


def test_a_machine_is_full_if_no_processor_is_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    processors, seconds = len(os.sched_getaffinity(0)), iter([0.0, 0.5, 0.0, 2.0])
    monkeypatch.setattr(load_module, "busy_seconds", lambda: next(seconds) * processors)
    clock = SimpleNamespace(monotonic=iter([0.0, 1.0] * 2).__next__)
    monkeypatch.setattr(load_module, "time", clock)

    seen = [Load(own=False).is_full() for _ in range(2)]

    assert seen == [processors == 1, True]


def test_the_load_of_others_is_a_share() -> None:
    load = Load(own=True)
    sum(range(10**6))

    assert 0.0 <= load.of_others() <= 1.0
