"""The operation type of a pair by its python side."""

from __future__ import annotations

import pytest

from curation.kinds.python_side import python_operation


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
