"""Calls of einops become methods of tensors that compute the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import ingest.drafting
from ingest.drafting.isolating.einops_calls import write_einops

STAND_IN = Path(ingest.drafting.__file__).with_name("templates") / "stand_ins" / "einops.py"

WRITTEN = {
    'rearrange(x, "b t h d -> b h t d")': "x.transpose(1, 2)",
    'rearrange(x, "b t h d -> d b t h")': "x.permute(3, 0, 1, 2)",
    'rearrange(x, "b (n c) h d -> b n c h d", c=size)': "x.unflatten(1, (-1, size))",
    'rearrange(x, "... (g d) -> ... g d", g=size)': "x.unflatten(-1, (size, -1))",
    'rearrange(x, "b t h d -> b (t h) d")': "x.flatten(1, 2)",
    'rearrange(x + 1, "... h d -> ... (h d)")': "(x + 1).flatten(-2)",
    'rearrange(x, "b t ... -> 1 (b t) ...")': "x.flatten(0, 1).unsqueeze(0)",
    'rearrange(x, "b t h d -> b t 1 h d 1")': "x.unsqueeze(2).unsqueeze(5)",
    'rearrange(x, "b (n c) h d -> n (b c) (h d)", n=size)': (
        "x.unflatten(1, (size, -1)).transpose(0, 1).flatten(3, 4).flatten(1, 2)"
    ),
    'rearrange(x[..., :1], "b t h 1 -> b t h")': "x[..., :1].squeeze(3)",
    'repeat(x, "b t h d -> b t (h g) d", g=size)': "x.repeat_interleave(size, dim=2)",
    'repeat(x, "b t h d -> b t (g h) d", g=size)': "x.repeat(1, 1, size, 1)",
    'repeat(x, "b t h d -> n b t h d", n=size)': "x.unsqueeze(0).repeat_interleave(size, dim=0)",
    'repeat(x, "b t h d -> n b 1 t m h d", n=size, m=2)': (
        "x.unsqueeze(0).repeat_interleave(size, dim=0).unsqueeze(2).unsqueeze(4)"
        ".repeat_interleave(2, dim=4)"
    ),
    'repeat(x, "... d -> ... d e", e=size)': "x.unsqueeze(-1).repeat_interleave(size, dim=-1)",
    'reduce(x, "b t (h g) d -> b t h d", "sum", g=size)': "x.unflatten(2, (-1, size)).sum(3)",
    'reduce(x, "b t h d -> h b", reduction="max")': "x.amax((1, 3)).transpose(0, 1)",
}
LEFT = [
    'rearrange(x, "b t ... -> b t (...)")',
    'repeat(x, "b t h d -> b t h (d 2)")',
    'rearrange([x, x], "n b t h d -> b n t h d")',
    "rearrange(x, pattern)",
    'rearrange(x, "... h d -> h ... d")',
]


def _module(call: str) -> str:
    return f"{STAND_IN.read_text()}\n\ndef computed(x, size=2):\n    return {call}\n"


def _compute(text: str, x: torch.Tensor) -> torch.Tensor:
    names: dict[str, object] = {}
    exec(text, names)  # noqa: S102 - a text of this test
    computed = names["computed"]
    assert callable(computed)
    answer = computed(x)
    assert isinstance(answer, torch.Tensor)
    return answer


@pytest.mark.parametrize("call", WRITTEN)
def test_a_call_is_written_as_methods_that_compute_the_same(call: str) -> None:
    text = _module(call)
    written = write_einops(text)

    assert written.rstrip().endswith(f"return {WRITTEN[call]}")
    x = torch.randn(2, 4, 6, 8)
    assert torch.equal(_compute(written, x), _compute(text, x))


@pytest.mark.parametrize("call", LEFT)
def test_a_call_that_cannot_be_read_fully_stays(call: str) -> None:
    assert write_einops(_module(call)) == _module(call)


def test_a_call_in_a_call_is_written_too() -> None:
    inner = 'rearrange(x, "b t h d -> b h t d")'
    written = write_einops(_module(f'rearrange({inner} * 2, "b h t d -> b (h t) d")'))

    assert written.rstrip().endswith("return (x.transpose(1, 2) * 2).flatten(1, 2)")


def test_a_list_of_tensors_stays_for_the_stand_in_to_stack() -> None:
    text = _module('rearrange(parts, "n b t h d -> b n t h d")').replace(
        "    return", "    parts = [x, x]\n    return"
    )

    assert write_einops(text) == text
