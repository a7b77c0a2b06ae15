"""How hard a pair is, by its algorithmic features, and its operation by its Python side."""

from __future__ import annotations

import pytest

from curation.kinds.difficulty import pair_difficulty
from curation.kinds.python_side import python_operation

KERNEL = """
import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols)
{body}
    tl.store(out_ptr + cols, x)
"""
LOOP = "    for start in range(0, n, BLOCK):\n"
ONLINE = (
    "    m = -float('inf')\n    total = 0.0\n"
    + LOOP
    + "        x = tl.load(x_ptr + start + cols)\n"
    "        higher = tl.maximum(m, tl.max(x, 0))\n"
    "        total = total * tl.exp(m - higher) + tl.sum(tl.exp(x - higher), 0)\n"
    "        m = higher"
)
TILED = "    acc = tl.zeros((BLOCK, BLOCK), tl.float32)\n" + LOOP + "        acc += tl.dot(x, x)"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    x = x - tl.max(x, 0)", "easy"),
        ("    acc = 0.0\n" + LOOP + "        acc += tl.sum(x, 0)", "medium"),
        ("    x = tl.load(x_ptr + tl.load(y_ptr + cols))", "medium"),
        ("    tl.atomic_add(y_ptr, tl.sum(x, 0))", "medium"),
        ("    x = tl.cumsum(x, 0)", "medium"),
        (TILED, "medium"),
        (TILED + "\n    x = acc * tl.sigmoid(acc)", "medium"),
        (ONLINE, "hard"),
        (TILED + "\n    x = tl.dot(acc, x)", "hard"),
        (TILED + "\n    tl.atomic_add(out_ptr + cols, acc)", "hard"),
        (TILED.replace("tl.dot(x, x)", "tl.dot(x, (x >> 4) & 15)"), "hard"),
        (LOOP + "        x = tl.cumsum(x, 0)", "hard"),
        ("    while tl.atomic_cas(y_ptr, 0, 1) == 1:\n        pass", "hard"),
    ],
)
def test_the_features_of_a_kernel_determine_its_difficulty(body: str, expected: str) -> None:
    assert pair_difficulty(KERNEL.format(body=body), "other") == expected


def test_a_long_element_wise_kernel_is_easy() -> None:
    polynomial = "\n".join(f"    x = x * x + {number}.5" for number in range(400))

    assert pair_difficulty(KERNEL.format(body=polynomial), "element-wise") == "easy"


def test_three_medium_features_together_are_hard() -> None:
    indirect = "    x = tl.load(x_ptr + tl.load(y_ptr + cols))\n"
    scanned = indirect + "    x = tl.cumsum(x, 0)"

    assert pair_difficulty(KERNEL.format(body=scanned), "other") == "medium"
    sorted_too = KERNEL.format(body=scanned + "\n    x = tl.sort(x)")
    assert pair_difficulty(sorted_too, "other") == "hard"


def test_a_name_reassigned_to_a_loaded_value_is_not_a_loaded_address() -> None:
    body = TILED + "\n    y_ptr = tl.load(y_ptr + cols)\n    x = acc + y_ptr"

    assert pair_difficulty(KERNEL.format(body=body), "matmul") == "medium"


def test_a_pair_with_its_own_backward_is_medium_at_least() -> None:
    text = KERNEL.format(body="    x = x + 1")

    assert pair_difficulty(text, "element-wise") == "easy"
    assert pair_difficulty(text, "element-wise", differentiable=True) == "medium"


def test_a_normalization_backward_is_rated_hard() -> None:
    text = KERNEL.format(body="    x = x - tl.sum(x, 0) - x * tl.sum(x * x, 0)")
    backward = text.replace("kernel(x_ptr", "kernel_bwd(dy_ptr, dx_ptr, x_ptr")

    assert pair_difficulty(backward, "normalization") == "hard"
    assert pair_difficulty(text, "normalization") == "easy"


def test_the_hardest_kernel_determines_the_difficulty_and_launchers_do_not() -> None:
    launcher = "\ndef launch(x):\n" + "    for i in x:\n        acc += tl.dot(x, x)\n" * 20
    easy = KERNEL.format(body="    x = x + 1")

    assert pair_difficulty(easy + launcher, "other") == "easy"
    both = easy + KERNEL.format(body=TILED).replace("def kernel", "def other")
    assert pair_difficulty(both, "matmul") == "medium"


@pytest.mark.parametrize(
    ("name", "body", "expected"),
    [
        ("f", "F.scaled_dot_product_attention(q, k, v)", "attention"),
        ("f", "torch.softmax(q @ k.mT, -1) @ v", "attention"),
        ("f", "F.cross_entropy(x, y)", "loss"),
        ("vocab_parallel_ce", "(x.exp().sum(-1).log() - x[y]).mean()", "loss"),
        ("f", "F.conv1d(x, w)", "convolution"),
        ("f", "F.layer_norm(x, (8,))", "normalization"),
        ("f", "x * torch.rsqrt(x.pow(2).mean(-1) + eps) * w", "normalization"),
        ("f", "torch.einsum('ij,jk->ik', x, y)", "matmul"),
        ("moe", "F.softmax(x @ y, -1).topk(2)[0] @ z", "matmul"),
        ("apply_rotary", "torch.cat([a * cos - b * sin, b * cos + a * sin], -1)", "other"),
        ("f", "x.softmax(-1)", "softmax"),
        ("f", "x.sort().values", "sort"),
        ("f", "x.cumsum(0)", "scan"),
        ("f", "F.dropout(x)", "random"),
        ("f", "F.embedding(i, w)", "gather-scatter"),
        ("f", "x.sum(-1)", "reduction"),
        ("f", "x + y", None),
        ("attention", "x + y", None),
    ],
)
def test_the_torch_calls_determine_the_operation_type(
    name: str, body: str, expected: str | None
) -> None:
    assert python_operation(name, f"def {name}(x):\n    return {body}\n") == expected
