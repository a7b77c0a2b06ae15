"""Accesses outside of every tensor are named in the interpreter."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.hostile.zoo.load import zoo
from validation.harness.entry import parse
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report
from validation.harness.schedule import reports
from validation.harness.worker.extents import ACCESSES, Extents

LOAD, STORE, SWAP, ADD = ACCESSES
ZOO = {entry.name: entry for entry in zoo()}
EXTENTS = some.lists(
    some.tuples(some.integers(0, 300), some.integers(1, 60)).map(lambda it: (it[0], sum(it)))
)
HIGH = (1 << 64) - 1


def loading(places: Any, mask: Any, kind: Any = np.int32) -> tuple[Any, ...]:
    addresses = np.array(places, np.uint64)
    return addresses, np.array(mask, bool), np.zeros(addresses.shape, kind), kind


@given(
    EXTENTS,
    some.lists(some.tuples(some.integers(0, 400) | some.integers(HIGH - 9, HIGH), some.booleans())),
    some.sampled_from([np.int8, np.float16, np.float32, np.float64]),
)
def test_an_element_outside_every_tensor_is_a_stray_access(
    extents: list[tuple[int, int]], touched: list[tuple[int, bool]], kind: Any
) -> None:
    width = np.dtype(kind).itemsize
    strays = [
        place for place, wanted in touched
        if wanted and not any(start <= place and place + width <= end for start, end in extents)
    ]  # fmt: skip

    words = Extents(extents).strays(
        LOAD, loading([place for place, _ in touched], [wanted for _, wanted in touched], kind)
    )

    plural = "s" * (len(strays) != 1)
    expected = f"reads {len(strays)} element{plural} outside"
    assert words.startswith(expected) if strays else not words


@pytest.mark.parametrize(
    ("extents", "place", "near"),
    [
        ([(0, 8), (100, 140)], 140, "0 bytes behind the end of one of 40 bytes"),
        ([(0, 8), (100, 140)], 138, "0 bytes behind the end of one of 40 bytes"),
        ([(0, 8), (100, 140)], 20, "12 bytes behind the end of one of 8 bytes"),
        ([(0, 8), (100, 140)], 90, "10 bytes before the start of one"),
        ([(100, 140)], 90, "10 bytes before the start of one"),
    ],
)
def test_the_first_stray_address_is_described_by_the_nearest_tensor(
    extents: list[tuple[int, int]], place: int, near: str
) -> None:
    assert Extents(extents).strays(LOAD, loading([place], [True])).endswith(f"the first {near}")


def test_each_kind_of_memory_access_is_checked() -> None:
    places, ones, mask = np.array([96], np.uint64), np.ones(1, np.int32), np.ones(1, bool)
    known = Extents([(0, 64)])
    where = (
        "1 element outside of every tensor, the first 32 bytes behind the end of one of 64 bytes"
    )

    assert known.strays(STORE, (places, ones, mask)) == f"writes to {where}"
    assert known.strays(STORE, (places, ones, ~mask)) == ""
    assert known.strays(SWAP, (places, ones, ones, "relaxed")) == f"writes to {where}"
    assert known.strays(ADD, ("add", places, ones, mask, "relaxed")) == f"writes to {where}"


def test_every_access_without_a_tensor_is_a_stray_access() -> None:
    assert Extents([]).strays(LOAD, loading(7, True)).startswith("reads 1 element")


def in_the_interpreter(pool: WorkerPool, **codes: str) -> dict[str, Report]:
    record = ZOO["vector-add"].record()
    entries = [parse({**record, "id": name, "triton_code": code}, name)
               for name, code in codes.items()]  # fmt: skip
    return {report.id: report for report in reports(entries, pool)}


def changed(code: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert code.count(old) == 1
        code = code.replace(old, new)
    return code


@pytest.mark.slow
def test_stray_reads_and_atomics_are_found_even_without_an_effect(pool: WorkerPool) -> None:
    honest = ZOO["vector-add"].code.triton_code

    made_reports = in_the_interpreter(
        pool,
        reads=changed(honest, ("* y_stride, mask=mask", "* y_stride, mask=offsets <= n")),
        # NumPy's memory, so that it is there: anything else might end the process.
        adds=changed(
            honest,
            ("import torch\n", "import numpy\nimport torch\n"),
            ("BLOCK = 1024\n", "BLOCK = 1024\nSPARE = numpy.zeros(64)\n"),
            ("y_stride, BLOCK", "y_stride, far, BLOCK"),
            ("    tl.store(out_ptr", "    tl.atomic_add(out_ptr + far, 0.0)\n    tl.store(out_ptr"),
            (
                "    grid =",
                "    far = (SPARE.ctypes.data - out.data_ptr()) // out.element_size()\n    grid =",
            ),
            ("y.stride(0), BLOCK", "y.stride(0), far, BLOCK"),
        ),
        honest=honest,
    )

    bounds = {name: {made.name: made for made in report.checks}["bounds"]
              for name, report in made_reports.items()}  # fmt: skip
    assert "case 0: reads 1 element outside of every tensor" in bounds["reads"].words
    assert "writes to 1 element outside of every tensor" in bounds["adds"].words
    assert bounds["honest"].verdict == "passed"
