"""How hard a pair is, by what its kernels hold."""

from __future__ import annotations

import pytest

from validation.difficulty import difficulty

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
{body}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    tl.store(out_ptr + cols, tl.load(x_ptr + cols), mask=cols < n)", "easy"),
        ("    for i in range(n):\n        tl.atomic_add(out_ptr, tl.sum(cols, axis=0))", "medium"),
        (
            "    for i in range(n):\n        for j in range(n):\n"
            "            y = tl.dot(cols[:, None], tl.dot(cols[None, :], cols))\n"
            "            tl.atomic_add(out_ptr, tl.max(y, axis=0))",
            "hard",
        ),
    ],
)
def test_what_a_kernel_holds_makes_it_hard(body: str, expected: str) -> None:
    assert difficulty(KERNEL.format(body=body)) == expected


def test_a_gradient_counts() -> None:
    body = "    for i in range(n):\n        tl.store(out_ptr, tl.sum(cols, axis=0))"

    assert difficulty(KERNEL.format(body=body)) == "easy"
    assert difficulty(KERNEL.format(body=body), differentiable=True) == "medium"


def test_what_is_not_a_kernel_does_not_count() -> None:
    launcher = (
        "\ndef launch(x):\n" + "    for i in x:\n        for j in x:\n            sort(x)\n" * 20
    )

    assert difficulty(KERNEL.format(body="    tl.store(out_ptr, 1)") + launcher) == "easy"
