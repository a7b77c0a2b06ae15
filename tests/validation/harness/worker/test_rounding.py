"""Errors that rounding explains are no fault of a candidate, and larger errors are."""

from dataclasses import replace

import pytest
import torch

from tests.validation.harness.whole_entries import whole_entry
from validation.harness.entry import Entry
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Verdict
from validation.harness.schedule import reports
from validation.harness.worker.rounding import Rounding, last_bit

PYTHON = """\
import torch.nn.functional as F


def entry(x):
    y = F.logsigmoid(x)
    mean = y.mean(dim=-1, keepdim=True)
    variance = y.var(dim=-1, unbiased=False, keepdim=True)
    return F.hardsigmoid((y - mean) * torch.rsqrt(variance + 1e-5))
"""
TRITON = """\
@triton.jit
def kernel(x_ptr, out_ptr, rows, cols, BLOCK: tl.constexpr):
    row = tl.program_id(0) * 8 + tl.arange(0, 8)[:, None]
    col = tl.arange(0, BLOCK)[None, :]
    mask = (row < rows) & (col < cols)
    x = tl.load(x_ptr + row * cols + col, mask=mask, other=0.0)
    small = tl.exp(-tl.abs(x))
    grown = 1.0 + small
    grew = tl.where(grown == 1.0, small, tl.log(grown) * (small / (grown - 1.0)))
    y = tl.minimum(x, 0.0, propagate_nan=tl.PropagateNan.ALL) - grew
    y = tl.where(mask, {kept}, 0.0)
    centred = tl.where(mask, y - tl.sum(y, axis=1)[:, None] / cols, 0.0)
    variance = tl.sum(centred * centred, axis=1)[:, None] / cols
    y = centred * tl.rsqrt(variance + 1e-5)
    y = tl.minimum(
        tl.maximum(y / 6.0 + 0.5, 0.0, propagate_nan=tl.PropagateNan.ALL),
        1.0,
        propagate_nan=tl.PropagateNan.ALL,
    )
    tl.store(out_ptr + row * cols + col, y, mask=mask)


def entry(x):
    out = torch.empty_like(x)
    rows, cols = x.shape
    if out.numel():
        kernel[(triton.cdiv(rows, 8),)](x, out, rows, cols, BLOCK=triton.next_power_of_2(cols))
    return out
"""
INPUTS = '(torch.randn(5, case["n"] + 27, generator=generator).to(device),)'


def normed(kept: str, inputs: str = INPUTS) -> Entry:
    """Return a candidate that keeps `kept` of the intermediate values."""
    made = whole_entry(PYTHON, TRITON.replace("{kept}", kept), inputs, id=kept)
    exact, loose = "actual, expected)", "actual, expected, rtol=1e-3, atol=1e-3)"
    return replace(made, test_code=made.test_code.replace(exact, loose))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "verdict"),
    [("y", Verdict.PASSED), ("y.to(tl.float16).to(tl.float32)", Verdict.FAILED)],
)
def test_a_normalized_constant_row_may_differ_by_rounding(
    kept: str, verdict: Verdict, pool: WorkerPool
) -> None:
    """Zeros give every element the same log-sigmoid. Torch's mean of that is exact by luck; a sum
    in another order is not. Halves on the way are no luck."""
    (report,) = reports([normed(kept)], pool)

    assert report.verdict is verdict, report.message


@pytest.mark.slow
def test_an_intermediate_float32_fails_for_float64_inputs(pool: WorkerPool) -> None:
    """Inputs that are wide are shaken by no more than their own last bit."""
    wide = INPUTS.replace("to(device)", "to(device).double()")
    entries = [normed("y", wide), normed("y.to(tl.float32).to(tl.float64)", wide)]

    said = {report.id: report for report in reports(entries, pool)}

    assert [said[entry.id].verdict for entry in entries] == [Verdict.PASSED, Verdict.FAILED]


NARROW = last_bit([torch.zeros(1)])


def test_the_perturbation_is_the_last_bit_of_the_widest_input_dtype() -> None:
    half, single, double = (torch.zeros(1, dtype=getattr(torch, name))
                            for name in ("float16", "float32", "float64"))  # fmt: skip
    assert last_bit([half]) == last_bit([single, double]) == 2.0**-23
    assert last_bit([double, torch.zeros(1, dtype=torch.int64)]) == 2.0**-52


def rounding() -> Rounding:
    return Rounding(NARROW, torch.Generator().manual_seed(1))


def test_a_result_is_perturbed_by_its_last_bit_in_either_direction() -> None:
    x = torch.linspace(1, 2, 100, dtype=torch.float64)

    with rounding():
        moved = (x.sqrt() / x.sqrt() - 1).tolist()

    assert 0 < max(moved) < 4 * NARROW
    assert 0 > min(moved) > -4 * NARROW


def test_an_in_place_result_is_perturbed_too() -> None:
    x = torch.ones(100, dtype=torch.float64)

    with rounding():
        x.add_(1)

    assert set((x / 2 - 1).tolist()) == {NARROW, -NARROW}


def test_operations_that_move_or_select_values_are_not_perturbed() -> None:
    x = torch.rand(4, 25, dtype=torch.float64)

    with rounding():
        kept = torch.cat([x.t().contiguous().t(), torch.where(x > 0.5, x, x)]).clone()[:4]
        kept = kept.flip(0).roll(3).roll(-3).flip(0).sort(-1).values

    assert torch.equal(kept, x.sort(-1).values)


def test_random_and_infinite_numbers_are_not_perturbed() -> None:
    torch.manual_seed(3)
    drawn = torch.rand(8)

    torch.manual_seed(3)
    with rounding():
        again = torch.rand(8)
        infinite = torch.tensor([torch.inf, -torch.inf, 0.0]) * 2

    assert torch.equal(again, drawn)
    assert infinite.tolist() == [torch.inf, -torch.inf, 0.0]


def test_gradients_are_perturbed_too() -> None:
    leaf = torch.linspace(1, 2, 50, dtype=torch.float64).requires_grad_()

    with rounding():
        (found,) = torch.autograd.grad((leaf**3).sum(), leaf)

    wanted = 3 * leaf.detach() ** 2
    assert not torch.equal(found, wanted)
    assert torch.allclose(found, wanted, rtol=20 * NARROW, atol=0)
