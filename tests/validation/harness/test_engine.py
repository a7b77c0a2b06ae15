"""What a launcher takes apart before its kernels, torch's engine puts together on the way back.
That is no computing; a sum that the launcher has it take instead of a kernel is."""

import pytest

from tests.validation.harness.doubling import DOUBLE_KERNEL
from validation.harness import Crew, Entry, Report, Verdict, reports

REFERENCE = """
import torch


def doubled(x):
    return tuple(2 * part for part in {parts})
"""
LAUNCHER = """

def twice(x):
    x = x.contiguous()
    out = torch.empty_like(x)
    if x.numel():
        double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


class Double(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: twice(x))
    backward = staticmethod(lambda ctx, grad: twice(grad))


def doubled(x):
    return tuple(Double.apply(part) for part in {parts})
"""
CANDIDATE = DOUBLE_KERNEL + LAUNCHER
TEST = """
import torch
from python_code import doubled as reference
from triton_code import doubled as candidate

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
CASES = [{"n": 4, "seed": 0}, {"n": 6, "seed": 1}]
TOLERANCE = {"rtol": 1e-6, "atol": 1e-6}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    return (torch.randn(case["n"], case["n"], generator=generator).to(device),)


def test_equivalence():
    for case in CASES:
        told = []
        for function in (reference, candidate):
            leaf = make_inputs(case, DEVICE)[0].requires_grad_()
            out = function(leaf)
            told.append((*out, *torch.autograd.grad(out, leaf, [part + 1 for part in out])))
        torch.testing.assert_close(told[1], told[0], **TOLERANCE)
"""
APART = {
    "halves": "x.chunk(2, -1)",
    "unequal parts": "x.split([1, x.shape[1] - 1], -1)",
    "rows": "x.unbind(0)",
    "one row, and a row's end": "(x[0], x[1, 1:])",
    "halves, by their places": "(x[:, : x.shape[1] // 2], x[:, x.shape[1] // 2 :])",
    "a diagonal": "(x.diagonal(),)",
    "transposed and in one row": "(x.t().reshape(-1),)",
}


def checked(crew: Crew, reference: str, candidate: str) -> Report:
    entry = Entry(
        id="doubled", python_code=reference, triton_code=candidate, test_code=TEST,
        entry_point="doubled", differentiable=True,
    )  # fmt: skip
    (report,) = reports([entry], crew)
    return report


@pytest.mark.parametrize("parts", APART.values(), ids=APART)
def test_what_was_taken_apart_before_the_kernels_is_put_together(parts: str, crew: Crew) -> None:
    report = checked(crew, REFERENCE.format(parts=parts), CANDIDATE.format(parts=parts))

    assert report.verdict is Verdict.PASSED, report.message


def test_what_comes_by_whole_where_nobody_asks_for_gradients_is_a_view_or_a_copy(
    crew: Crew,
) -> None:
    """Of what torch makes a `reshape` decides itself; in inference mode nothing tells before."""
    parts = "(x.t().reshape(-1), x.t(), x.to(torch.float32), x.flatten())"
    quiet = CANDIDATE.replace("def doubled", "@torch.inference_mode()\ndef doubled")
    test = TEST.replace(".requires_grad_()", "").replace(
        "(*out, *torch.autograd.grad(out, leaf, [part + 1 for part in out]))", "out"
    )
    entry = Entry(
        id="doubled", python_code=REFERENCE.format(parts=parts),
        triton_code=quiet.format(parts=parts).replace("Double.apply", "twice"), test_code=test,
        entry_point="doubled",
    )  # fmt: skip
    (report,) = reports([entry], crew)

    assert report.verdict is Verdict.PASSED, report.message


@pytest.mark.parametrize(
    "parts",
    [
        "(x[:1].expand(2, x.shape[1]),)",
        "(x.sum(0),)",
        "(x.repeat(2, 1),)",
        "(x[:, 1:], x[:, :-1])",
        "(x, x.t())",
    ],
    ids=["what was spread", "a sum", "copies", "what overlaps", "the same thing twice"],
)
def test_what_is_no_joining_is_computing(parts: str, crew: Crew) -> None:
    report = checked(crew, REFERENCE.format(parts=parts), CANDIDATE.format(parts=parts))

    assert report.verdict is Verdict.CHEATING
    assert "computes outside its kernels: aten." in report.message
