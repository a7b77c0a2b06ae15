"""Figures of times: spread, speedup, and times that are impossible."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validation.harness.judge.numbers import Unreadable
from validation.harness.judge.roofline import Gpu, Times, Work, judged, memory_floor, times
from validation.harness.timing.timing import bytes_read, form

H200 = Gpu("NVIDIA H200", 4917.0, 50 << 20)
MIB = 1 << 20


def at(microseconds: float) -> Times:
    return Times(microseconds, microseconds, microseconds, 20)


def test_the_timing_spread_has_the_median_and_the_quartiles() -> None:
    found = times([4.0, 1.0, 3.0, 2.0, 100.0], 5)

    assert (found.low_us, found.median_us, found.high_us, found.runs) == (2.0, 3.0, 4.0, 5)
    assert found.noise == pytest.approx(2 / 3)


@given(st.lists(st.floats(0, 1e7), min_size=2, max_size=40))
def test_quartiles_of_any_runs_are_ordered(values: list[float]) -> None:
    found = times(values, len(values))

    assert min(values) - 1e-3 <= found.low_us <= found.median_us <= found.high_us
    assert found.high_us <= max(values) + 1e-3


@pytest.mark.parametrize(
    "said", [None, "1", [1.0], [1.0, "2"], [1.0, -1.0], [1.0, math.nan], [1.0, math.inf], [1.0] * 3]
)
def test_malformed_times_are_refused(said: object) -> None:
    with pytest.raises(Unreadable):
        times(said, 2)


def test_a_speedup_is_given_against_eager_and_compiled_torch() -> None:
    figures, words = judged(at(100), at(300), at(150), Work(64 * MIB, 64 * MIB), H200)

    assert (figures["speedup"], figures["speedup_compiled"]) == (3.0, 1.5)
    assert words.startswith("3.00 times as fast as eager torch, 1.50 times torch.compile.")
    assert figures["gigabytes_per_second"] == pytest.approx(128 * MIB / 100e-6 / 1e9)
    json.dumps(figures, allow_nan=False)


def test_a_time_below_the_memory_floor_is_impossible_without_a_speedup() -> None:
    figures, words = judged(at(5), at(300), at(150), Work(256 * MIB, 1 * MIB), H200)

    assert figures["floor_us"] == pytest.approx(256 * MIB / 4917e3)
    assert figures["speedup"] is figures["speedup_compiled"] is None
    assert "269,484,032 bytes at 4,917 GB/s takes 54.6" in figures["impossible"]
    assert words.startswith("impossible: 5.0 µs, where to move ")


def test_outputs_that_fit_in_the_cache_do_not_count_in_the_memory_floor() -> None:
    assert memory_floor(Work(0, 50 * MIB), H200) == 0
    assert memory_floor(Work(0, 150 * MIB), H200) == pytest.approx(100 * MIB / 4917e3)


def test_without_a_full_read_by_torch_there_is_no_memory_floor() -> None:
    figures, _ = judged(at(5), at(10), None, Work(256 * MIB, 1 * MIB), H200)

    assert (figures["floor_us"], figures["impossible"]) == (0.0, "")
    assert figures["speedup"] == 2.0
    assert figures["speedup_compiled"] is None


def test_a_time_above_the_peak_flops_of_the_gpu_is_impossible() -> None:
    flops = 2 * 4096**3
    work = Work(2 * 4096**2 * 2, 4096**2 * 2, flops, narrowest=2)

    fair, _ = judged(at(200), at(220), at(220), work, H200)
    causal, _ = judged(at(100), at(220), at(220), work, H200)
    absurd, _ = judged(at(30), at(220), at(220), work, H200)

    assert fair["speedup"] == pytest.approx(1.1)
    assert causal["impossible"] == ""
    assert "operations at 989 TFLOP/s" in absurd["impossible"]


def test_no_time_is_impossible_on_an_unknown_gpu() -> None:
    figures, _ = judged(at(0.1), at(300), None, Work(256 * MIB, 1 * MIB, 10**15), Gpu.of({}))

    assert (figures["floor_us"], figures["impossible"]) == (0.0, "")


def test_a_noisy_timing_is_mentioned() -> None:
    noisy = Times(100.0, 80.0, 130.0, 20)

    assert "half of the runs differ by 50%" in judged(noisy, at(200), None, Work(0, 0), H200)[1]
    assert "differ" not in judged(at(100), at(200), None, Work(0, 0), H200)[1]


@pytest.mark.parametrize("said", [{}, {"memory_gb_s": "", "l2_bytes": "x"}, {"memory_gb_s": "nan"}])
def test_any_description_of_a_gpu_is_read(said: dict[str, str]) -> None:
    assert Gpu.of(said) == Gpu()


def test_an_expanded_dimension_is_read_once() -> None:
    leaf = {"storage": 0, "dtype": "float16", "shape": [8, 100], "stride": [0, 1], "offset": 0}

    assert bytes_read({"tuple": [leaf, 3, {"dict": {"one": leaf}}]}) == 400
    assert form({"tuple": [leaf, 3]}) == form({"tuple": [leaf | {"storage": 7}, 4]})
    assert form({"tuple": [leaf]}) != form({"tuple": [leaf | {"shape": [9, 100]}]})
