"""Work on other streams, told apart from a host that wakes up late."""

import pytest

from validation.harness.worker.clock import LATE, Clock


class Calibrated(Clock):
    """A clock without a GPU, whose host usually waits for 20 microseconds."""

    def __init__(self) -> None:
        self._usual_wait = 20.0


@pytest.mark.parametrize(
    ("waits", "late"),
    [
        ([20.5, 180.0, 95.0, 21.0], 0.0),
        ([20.0 + LATE, 300.0], 0.0),
        ([140.0, 190.0, 145.0], 120.0),
    ],
    ids=["the host was late in some runs", "as usual", "work on another stream in all runs"],
)
def test_only_work_in_all_runs_counts(waits: list[float], late: float) -> None:
    assert Calibrated().late(waits) == late
