"""Registers, memory and occupancy of a compiled kernel."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.validation.compile import kernels
from tests.validation.compile.test_answers import compile_one
from validation.compile import Judge, Resources
from validation.compile.outcome import outcome
from validation.compile.resources import read_resources


def test_a_compiled_kernel_names_its_resources_and_keeps_its_texts(judge: Judge) -> None:
    done = compile_one(judge, kernels.ADD)

    assert done.resources["registers"] > 0
    assert done.resources["local_bytes"] == 0
    assert done.resources["warps"] == 4
    assert done.texts["ptx"].lstrip().startswith("//")
    assert "tt.func public @kernel" in done.texts["ttgir"]
    assert "loc(" not in done.texts["ttgir"]
    assert "\ufffd" not in done.texts["ptx"]


@pytest.mark.parametrize(
    ("resources", "occupancy"),
    [
        # Registers, local bytes, shared bytes, warps.
        (Resources(32, 0, 0, 4), 1.0),
        (Resources(128, 0, 32 << 10, 4), 0.25),
        (Resources(255, 1408, 128 << 10, 4), 0.0625),
        (Resources(64, 0, 100 << 10, 8), 0.25),
        (Resources(255, 0, 0, 32), 0.0),
    ],
)
def test_occupancy_is_bounded_by_registers_shared_memory_and_warps(
    resources: Resources, occupancy: float
) -> None:
    assert resources.occupancy == occupancy


@given(st.binary(max_size=200))
def test_a_binary_that_is_none_has_no_resources(data: bytes) -> None:
    assert read_resources(data, 0, 4) is None
    assert read_resources(b"\x7fELF" + bytes(36) + data, 0, 4) is None


@pytest.mark.parametrize(
    "resources",
    [{"registers": 8}, {"registers": -1, "local_bytes": 0, "shared_bytes": 0, "warps": 4}, "many"],
)
def test_resources_that_make_no_sense_cost_the_answer(resources: object) -> None:
    done = outcome({"answer": "compiles", "resources": resources}, 1.0)

    assert done.answer == "undecided"
    assert "made no sense" in done.message


def test_a_block_without_warps_has_no_resources() -> None:
    none = {"registers": 8, "local_bytes": 0, "shared_bytes": 0, "warps": 0}

    assert outcome({"answer": "compiles", "resources": none}, 1.0).resources == {}
