"""Mistakes that a kind makes in small kernels, and the words that explain them."""

import pytest

from curation.models import Device, Outcome, Verdict
from validation.findings import FindingCheck, ItemFinding
from validation.repairs.check import proves
from validation.repairs.kinds import KINDS
from validation.repairs.source import ParsedText


def explain(kind: str, body: str, shown: str = "") -> str:
    """Return the explanation of the first mistake in a kernel whose statement is `shown`."""
    lines = "\n".join(f"    {line}" for line in body.strip().split("\n"))
    arguments = "x_ptr, v_ptr, out_ptr, n_rows, n_cols, stride, M: tl.constexpr, N: tl.constexpr"
    text = f"@triton.jit\ndef kernel({arguments}):\n{lines}\n"
    faults = [fault for fault in KINDS[kind].faults(ParsedText(text)) if shown in fault.shown]
    assert faults
    return KINDS[kind].explain(faults[0])


ROW = """
cols = tl.arange(0, N)
mask = cols < n_cols
x = tl.load(x_ptr + tl.program_id(0) * stride + cols, mask=mask, other=0.0).to(tl.float32)
"""


@pytest.mark.parametrize(
    ("kind", "message", "device", "proven"),
    [
        ("low-precision", "case 2: 599 elements are wrong", Device.INTERPRETER, False),
        ("low-precision", "Expected dtype ['fp32'] but got bf16", Device.INTERPRETER, True),
        ("low-precision", "case 2: 599 elements are wrong", Device.CUDA, True),
        ("wrong-axis", "case 2: 599 elements are wrong", Device.INTERPRETER, True),
    ],
)
def test_the_interpreter_proves_low_precision_only_by_a_rejected_type(
    kind: str, message: str, device: Device, *, proven: bool
) -> None:
    check = FindingCheck("accuracy", Outcome.FAILED, message)
    finding = ItemFinding(Verdict.FAILED, "accuracy fails", checks=(check,))

    assert proves(KINDS[kind], finding, device.value) is proven


@pytest.mark.parametrize(
    ("kind", "body", "words"),
    [
        (
            "dropped-epsilon",
            f"{ROW}s = tl.sum(x * x, axis=0)\ny = x * tl.rsqrt(s + 1e-6)",
            "The small constant `1e-6` is missing. It counts most where `s` is small",
        ),
        ("dropped-scale", f"{ROW}y = 0.5 * x", "`x` is not multiplied by `0.5`"),
        ("wrong-other", f"{ROW}s = tl.sum(x, axis=0)", 'hold `-float("inf")` instead of `0.0`'),
        (
            "unmasked-reduction",
            f"{ROW}loss = tl.where(mask, x * x, 0.0)\ns = tl.sum(loss, axis=0)",
            "hold `x * x` instead of `0.0`, and what follows counts them",
        ),
        (
            "overwritten-accumulator",
            "mean = 0.0\nfor i in range(n_cols):\n    mean += tl.load(x_ptr + i)",
            "it replaces `mean`",
        ),
        (
            "transposed-load",
            "rows = tl.arange(0, M)\ncols = tl.arange(0, N)\n"
            "x = tl.load(x_ptr + rows[:, None] * stride + cols[None, :])",
            "`cols` lies along axis 0 and `rows` along axis 1",
        ),
        (
            "half-mask",
            "x = tl.load(x_ptr + i * stride + j, mask=(i < n_rows) & (j < n_cols))",
            "lanes where `j < n_cols` is false take part too",
        ),
        (
            "missing-maximum",
            f"{ROW}high = tl.max(x, axis=0)\ny = tl.exp(x - high)",
            "`high` is not subtracted before the exponential",
        ),
    ],
)
def test_an_explanation_names_the_parts_of_the_kernel(kind: str, body: str, words: str) -> None:
    assert words in explain(kind, body)


def test_only_a_maximum_of_elements_counts_as_one() -> None:
    source = ParsedText(
        "@triton.jit\ndef kernel(x, target):\n"
        "    y = tl.maximum(x, 0.0)\n"
        "    return y - y * target + tl.log(1.0 + tl.exp(-y)) - y\n"
    )

    assert not [*KINDS["missing-maximum"].faults(source)]


def test_the_head_of_a_loop_is_quoted_whole() -> None:
    loop = (
        "for first in range(tl.program_id(0) * N, n_cols, tl.num_programs(\n    0\n) * N):\n    f()"
    )

    words = explain("overlapping-blocks", loop)

    assert "`for first in range(tl.program_id(0), n_cols, tl.num_programs(0) * N):`" in words


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ("x, out, n", ["k[grid](out, x, n)"]),
        ("x, y, out, n", ["k[grid](x, out, y, n)"]),
    ],
    ids=["an input and an output", "two inputs stay in their order"],
)
def test_only_an_input_and_an_output_are_swapped(arguments: str, shown: list[str]) -> None:
    names = ", ".join(name if name == "n" else f"{name}_ptr" for name in arguments.split(", "))
    text = (
        f"@triton.jit\ndef k({names}):\n    out_ptrs = out_ptr + tl.load(x_ptr)\n"
        "    tl.store(out_ptrs + n, 0.0)\n\n\n"
        f"def run(x, y, out, n):\n    k[grid]({arguments})\n"
    )

    faults = [*KINDS["swapped-arguments"].faults(ParsedText(text))]

    assert [fault.shown for fault in faults] == shown
