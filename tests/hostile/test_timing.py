"""Timing measures the recorded program and judges its answers.

The processes and the judge are the real ones; only the clock is the host's, since a GPU's can't be
had here.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.hostile.zoo.load import zoo
from validation.harness.entry import Entry, parse
from validation.harness.options import Options, Unsuited
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Check, Report, Verdict
from validation.harness.schedule import check
from validation.harness.timing.timing import timed

pytestmark = pytest.mark.slow

HONEST = {e.name: parse(e.record(), e.name) for e in zoo() if e.cheat is None}
ADD = HONEST["vector-add"]

# It launches its kernel in its first calls only.
LATER = """

_honest = vector_add
_calls = []


def vector_add(x, y):
    _calls.append(None)
    return _honest(x, y) if len(_calls) < 5 else x + y
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[WorkerPool]:
    """A pool that is warm for torch.compile, as for a run with timing."""
    made = WorkerPool(Options(jobs=1))
    made.candidates.compiler = True
    try:
        made.open()
        yield made
    finally:
        made.close()


def passed(entry: Entry) -> Report:
    return Report(entry.id, Verdict.PASSED, "checks pass", (), {}, {})


def its_timing(entry: Entry, pool: WorkerPool) -> tuple[Report, Check]:
    report = timed(entry, passed(entry), pool)
    (made,) = report.checks
    assert made.name == "timing"
    return report, made


@pytest.mark.parametrize("name", ["vector-add", "row-argmax"])
def test_an_honest_entry_is_timed_against_its_reference(name: str, pool: WorkerPool) -> None:
    report, made = its_timing(HONEST[name], pool)

    assert (report.verdict, made.verdict) == (Verdict.PASSED, Verdict.PASSED), made.words
    figures = report.figures["timing"]
    assert figures["candidate"]["runs"] == figures["eager"]["runs"] == 20
    assert figures["candidate"]["low_us"] <= figures["candidate"]["median_us"]
    assert report.figures["speedup"] == figures["speedup"] > 0
    assert figures["bytes"] > 0
    assert "times as fast as eager torch" in made.words
    assert report.seconds["timing"] > 0


def test_later_calls_of_a_launcher_are_not_timed(pool: WorkerPool) -> None:
    """Its first call is recorded, and that program is played in each run."""
    report, made = its_timing(replace(ADD, triton_code=ADD.triton_code + LATER), pool)

    assert (report.verdict, made.verdict) == (Verdict.PASSED, Verdict.PASSED), made.words


def test_an_entry_with_wrong_answers_gets_no_timing(pool: WorkerPool) -> None:
    text = ADD.triton_code.replace("x + y", "x - y")
    assert text != ADD.triton_code

    report, made = its_timing(replace(ADD, triton_code=text), pool)

    assert (report.verdict, made.verdict) == (Verdict.FAILED, Verdict.FAILED)
    assert "wrong while it is timed" in made.words
    assert "speedup" not in report.figures


def test_the_operations_of_a_product_are_counted(pool: WorkerPool) -> None:
    report, _ = its_timing(HONEST["linear-relu"], pool)

    assert report.figures["timing"]["flops"] > 0


PERF_CASES = "\n\nPERF_CASES = [{'n': 20_011, 'step': 1, 'dtype': torch.float32, 'seed': 7}, %s]\n"


@pytest.mark.parametrize(
    "more",
    ["{'n': 1 << 40, 'step': 1, 'dtype': torch.float32, 'seed': 7}", "'no case'"],
    ids=["too large", "malformed"],
)
def test_the_largest_performance_case_that_fits_is_timed(more: str, pool: WorkerPool) -> None:
    entry = replace(ADD, test_code=ADD.test_code + PERF_CASES % more)

    report, made = its_timing(entry, pool)

    assert made.verdict is Verdict.PASSED, made.words
    assert report.figures["timed_case"]["n"] == 20_011


def test_without_a_fitting_performance_case_a_test_case_is_timed(pool: WorkerPool) -> None:
    too_large = "\n\nPERF_CASES = [{'n': 1 << 40, 'step': 1, 'dtype': torch.float32, 'seed': 7}]\n"

    report, made = its_timing(replace(ADD, test_code=ADD.test_code + too_large), pool)

    assert made.verdict is Verdict.PASSED, made.words
    assert report.figures["timed_case"]["n"] == 5000


def test_an_entry_that_can_not_be_timed_still_passes(pool: WorkerPool) -> None:
    text = ADD.python_code + "\n\n_first = vector_add\n_calls = []\n\n\ndef vector_add(x, y):\n"
    text += "    _calls.append(None)\n    if len(_calls) > 8:\n        raise OSError('tired')\n"
    text += "    return _first(x, y)\n"

    report, made = its_timing(replace(ADD, python_code=text), pool)

    assert (report.verdict, made.verdict) == (Verdict.PASSED, None)
    assert made.words.startswith("not timed: ")
    assert "OSError: tired" in made.words


def test_without_a_gpu_timing_is_refused_in_a_sentence() -> None:
    with pytest.raises(Unsuited, match="Timing needs a GPU"):
        list(check([ADD], Options(timing=True)))
