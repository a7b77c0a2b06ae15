"""Autotuners under the recorder: which configurations are run."""

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from validation.harness.recorder.tracer import Tracer

INFINITY = [float("inf")] * 3


class Tuning:
    """An autotuner of three configurations, of which the device can run the last two."""

    def __init__(self, tracer: Tracer, *, passes: bool) -> None:
        self.tracer, self.recording = tracer, SimpleNamespace(passes=passes)
        self.do_bench: Any = lambda call, quantiles: (call(), [2.0, 2.0, 2.0])[1]
        self.ran: list[int] = []

    def choose(self) -> int:
        self.tracer._prune_configs(self.recording, lambda *_: None)  # type: ignore[arg-type]
        times = {
            number: self.tracer._bench(self.recording, Tuning.bench, self, config=number)  # type: ignore[arg-type]
            for number in range(3)
        }
        return min(times, key=lambda number: times[number])

    def bench(self, config: int) -> list[float]:
        if config == 0:
            return INFINITY
        times: list[float] = self.do_bench(lambda: self.ran.append(config), quantiles=None)
        return times


@pytest.fixture
def tracer(monkeypatch: pytest.MonkeyPatch) -> Tracer:
    """Return a tracer that has patched nothing, on a machine that seems to have a GPU."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    tracer = Tracer.__new__(Tracer)
    tracer.tune, tracer._is_tuned = False, False
    monkeypatch.setattr(tracer, "paused", nullcontext)
    return tracer


def test_a_test_runs_the_first_configuration_that_the_device_can_run(tracer: Tracer) -> None:
    tuning = Tuning(tracer, passes=True)

    assert tuning.choose() == 1
    assert tuning.ran == [1]
    # For another key of the tuner.
    assert tuning.choose() == 1
    assert tuning.ran == [1, 1]


def test_a_recorder_runs_no_configuration(tracer: Tracer) -> None:
    tuning = Tuning(tracer, passes=False)

    assert tuning.choose() == 0
    assert tuning.ran == []


def test_timing_measures_every_configuration(tracer: Tracer) -> None:
    tracer.tune = True
    tuning = Tuning(tracer, passes=False)

    assert tuning.choose() == 1
    assert tuning.ran == [1, 2]
