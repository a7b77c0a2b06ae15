"""Numbers that a launcher computed of numbers that it read are found by comparing programs."""

from collections.abc import Sequence
from typing import Any

import pytest

from validation.harness.judge.reads import INVENTIONS, Informed, computes, invented
from validation.harness.program import (
    Instruction,
    Launch,
    Meaning,
    Program,
    ProgramKernel,
    Read,
    TensorView,
    TorchCall,
)

TEXT = """\
def kernel(x, out, n, size):
    tl.store(out, tl.load(x, tl.arange(0, 4) < size) / n)
"""
KERNELS = {"kernel": ProgramKernel("kernel", 1, {})}
OUT = TensorView(2, "float32", (4,), (1,), 0)


def reads(dtype: str, count: int) -> TensorView:
    return TensorView(1, dtype, (count,), (1,), 0)


def launch(n: int, size: int = 4, grid: int = 1, offset: int = 0) -> Launch:
    out = Meaning("window", TensorView(2, "float32", (4,), (1,), offset))
    values = (Meaning("window", TensorView(3, "float32", (4,), (1,), 0)), out)
    return Launch("kernel", (grid,), (*values, Meaning("plain", n), Meaning("plain", size)), {})


def run(known: Sequence[Any], *launches: Instruction, answer: Meaning | None = None) -> Informed:
    """A launcher that reads its first input, and then launches."""
    instructions = (Read(0, reads("int32", len(known))), *launches)
    answer = answer or Meaning("window", OUT)
    return Informed(Program((1, 3), KERNELS, instructions, answer=answer), [], [known])


def is_computed(true: Informed, other: Informed | None, *, fractions: bool) -> bool:
    return computes(TEXT, true, other, set() if fractions else {1})


@pytest.mark.parametrize("true", [[0, 5, 9], [4, 4, 4], [7, 2], [True, False, False]])
def test_each_attempt_invents_other_numbers(true: list[Any]) -> None:
    made = [invented(reads("int32", len(true)), true, attempt) for attempt in range(INVENTIONS)]

    assert all(numbers != true and len(numbers) == len(true) for numbers in made)


def test_sorted_numbers_grow_by_steps_that_are_not_guessed_from_the_first() -> None:
    made = [invented(reads("int32", 20), list(range(20)), 0) for _ in range(5)]

    assert all(numbers == sorted(numbers) for numbers in made)
    assert any(numbers != [n + numbers[0] for n in range(20)] for numbers in made)


@pytest.mark.parametrize("true", [[4, 4, 4], [1, 4, 6], [6, 1, 4]])
def test_some_attempt_keeps_the_sum_of_lengths(true: list[int]) -> None:
    made = [invented(reads("int32", 3), true, attempt) for attempt in range(INVENTIONS)]

    assert sum(true) in map(sum, made)


def test_some_attempt_keeps_the_ends_of_bounds() -> None:
    made = [invented(reads("int32", 4), [0, 8, 16, 24], attempt) for attempt in range(INVENTIONS)]

    assert any((numbers[0], numbers[-1]) == (0, 24) for numbers in made)


def test_digits_that_other_launches_have_too_are_found() -> None:
    true, other = (
        run([7], launch(1), launch(2), launch(2)),
        run([9], launch(1), launch(2), launch(1)),
    )

    assert is_computed(true, other, fractions=True)
    assert is_computed(
        run([7], launch(3), launch(4)), run([9], launch(4), launch(3)), fractions=False
    )


def test_an_offset_and_a_launch_too_many_are_found_after_fractions() -> None:
    assert is_computed(run([7], launch(1, offset=1)), run([9], launch(1)), fractions=True)
    assert is_computed(run([7], launch(1), launch(1)), run([9], launch(1)), fractions=True)


def test_many_grids_after_fractions_are_found_but_not_a_few() -> None:
    def grids(known: int, count: int) -> Informed:
        return run([known], *(launch(1, grid=known + n) for n in range(count)))

    assert not is_computed(grids(7, 4), grids(9, 4), fractions=True)
    assert is_computed(grids(7, 9), grids(9, 9), fractions=True)


@pytest.mark.parametrize("fractions", [True, False])
def test_a_number_that_is_handed_on_as_it_is_counts_as_read(fractions: bool) -> None:
    assert not is_computed(run([7], launch(7)), run([9], launch(9)), fractions=fractions)
    assert is_computed(run([7], launch(8)), run([9], launch(10)), fractions=fractions)


def test_lengths_between_read_bounds_may_be_stored() -> None:
    true = run([0, 5, 9], launch(5), launch(4))
    other = run([0, 4, 9], launch(4), launch(5))

    assert not is_computed(true, other, fractions=False)


def test_sizes_may_be_computed_of_whole_numbers_but_not_many() -> None:
    few = (run([7], launch(4, size=14)), run([9], launch(4, size=18)))
    many = (
        run([7], *(launch(4, size=14 + n) for n in range(65))),
        run([9], *(launch(4, size=18 + n) for n in range(65))),
    )

    assert not is_computed(*few, fractions=False)
    assert is_computed(*many, fractions=False)


def test_a_size_of_a_torch_operation_may_be_computed_of_whole_numbers() -> None:
    def repeats(count: int) -> TorchCall:
        arguments = (Meaning("window", OUT), Meaning("plain", count))
        return TorchCall("aten::repeat_interleave.self_int", arguments, {}, ())

    true, other = run([7], repeats(14)), run([9], repeats(18))

    assert not is_computed(true, other, fractions=False)
    assert is_computed(true, other, fractions=True)


def test_a_computed_number_in_the_answer_is_found() -> None:
    true, other = (Meaning("tuple", (Meaning("window", OUT), Meaning("plain", n))) for n in (8, 10))

    assert is_computed(run([7], answer=true), run([9], answer=other), fractions=False)
    assert is_computed(run([7], answer=true), run([9], answer=other), fractions=True)


def test_a_launcher_that_refuses_all_other_numbers_computes_unless_it_reads_few() -> None:
    assert is_computed(run([0, 5, 9], launch(5)), None, fractions=False)
    assert not is_computed(run([9], launch(5)), None, fractions=False)
