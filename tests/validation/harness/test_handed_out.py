"""What a launcher handed out stays what it was, whatever it hands out next."""

import pytest

from tests.validation.harness.whole_entries import report
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Verdict

LAUNCHER = """\
import functools


@functools.cache
def table(n, device):
    return torch.arange(n, device=device)


@functools.cache
def buffer(n, device):
    return torch.empty(n, device=device)


def entry(x):
    return scaled(x.contiguous(), 2.0, OUT), table(x.numel(), x.device)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("out", "verdict"),
    [
        ("torch.empty_like(x)", Verdict.PASSED),
        ("buffer(x.numel(), x.device)", Verdict.FAILED),
    ],
    ids=["a table that is not written to again", "the same memory, written to again"],
)
def test_a_returned_tensor_must_not_be_written_to_later(
    out: str, verdict: Verdict, pool: WorkerPool
) -> None:
    made = report(
        pool, "(2 * x, torch.arange(x.numel(), device=x.device))", LAUNCHER.replace("OUT", out)
    )

    (memory,) = (check for check in made.checks if check.name == "memory")
    assert memory.verdict is verdict, made.message
    assert verdict is Verdict.PASSED or "returned before" in memory.words
