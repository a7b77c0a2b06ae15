"""Two GPUs are held against one fairly only where each has cores of its own."""

from collections.abc import Sequence

import pytest

from tests.benchmarks import processors

THIRTY_TWO = range(32)


@pytest.mark.parametrize("apart", [1, 16, 0])
def test_the_threads_of_a_core_are_known_by_what_they_take_from_one_another(
    apart: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rounds(cpus: Sequence[int], seconds: float) -> int:
        return 130 if cpus[1] - cpus[0] == apart else 200

    monkeypatch.setattr(processors, "rounds", rounds)
    assert processors.threads_apart(THIRTY_TWO) == apart


@pytest.mark.parametrize(
    ("cpus", "apart", "first", "count"),
    [(32, 1, [0, 1], 16), (32, 16, [0, 16], 16), (32, 0, [0], 32), (9, 1, [0], 9)],
)
def test_a_core_is_two_threads_or_each_processor_is_one(
    cpus: int, apart: int, first: list[int], count: int
) -> None:
    cores = processors.in_twos(range(cpus), apart)
    assert (cores[0], len(cores)) == (first, count)
    assert sorted(cpu for core in cores for cpu in core) == list(range(cpus))


def test_no_core_is_in_two_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        processors, "cores_of_processors", lambda: processors.in_twos(THIRTY_TWO, 16)
    )
    one, other = processors.shares_of_processors(2)
    assert one == [*range(8), *range(16, 24)]
    assert sorted(one + other) == list(THIRTY_TWO)
