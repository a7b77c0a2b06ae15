"""Work on other streams, told apart from a host that wakes up late."""

import pytest

from validation.harness.worker.clock import LATE, late


@pytest.mark.parametrize(
    ("waits", "idle_waits", "added"),
    [
        ([20.5, 180.0, 95.0, 21.0], [20.0, 20.4], 0.0),
        ([20.0 + LATE, 300.0], [20.0, 170.0], 0.0),
        ([65.0, 66.0], [64.0, 65.0], 0.0),
        ([140.0, 190.0, 145.0], [150.0, 20.0], 120.0),
    ],
    ids=[
        "the host was late in some runs", "as usual", "the host was late in all runs",
        "work on another stream in all runs",
    ],
)  # fmt: skip
def test_only_work_in_all_runs_counts(
    waits: list[float], idle_waits: list[float], added: float
) -> None:
    assert late(waits, idle_waits) == added
