"""Two GPUs are held against one fairly only where each has cores of its own."""

import os
from collections.abc import Sequence

import pytest

from benchmarks import processors

EACH_ALONE = [[cpu] for cpu in range(32)]
IN_TWOS = [[cpu, cpu + 16] for cpu in range(16)]


@pytest.mark.parametrize(
    ("cores", "each", "first", "second"),
    [
        (IN_TWOS, 0, [*range(8), *range(16, 24)], [*range(8, 16), *range(24, 32)]),
        (IN_TWOS, 8, list(range(8)), list(range(8, 16))),
        (IN_TWOS, 10, [*range(8), 16, 17], [*range(8, 16), 24, 25]),
        (EACH_ALONE, 0, list(range(16)), list(range(16, 32))),
        (EACH_ALONE, 8, list(range(8)), list(range(16, 24))),
        ([[0, 1]], 0, [0], [1]),
        ([[0, 1, 2, 3]], 0, [0, 1], [2, 3]),
    ],
)
def test_no_processor_core_is_in_two_shares(
    cores: list[list[int]],
    each: int,
    first: Sequence[int],
    second: Sequence[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processors, "cores_of_processors", lambda: cores)
    assert processors.shares_of_processors(2, each) == [first, second]


def test_every_usable_processor_belongs_to_one_core() -> None:
    cores = processors.cores_of_processors()
    assert sorted(cpu for core in cores for cpu in core) == sorted(os.sched_getaffinity(0))
