"""Which types a launcher answers with, told by its text: the reference's answers take them."""

from __future__ import annotations

import pytest

from ingest.drafting.answers import find_answer_types, find_optional_answers
from tests.ingest.drafting.repositories import DOUBLING, drafted, function, whole

COMPARES = """
def test_doubled():
    x = torch.randn(64, device=device, dtype=torch.bfloat16)
    expected = 2 * x.float()
    torch.testing.assert_close(doubled(x).float(), expected)
"""


@pytest.mark.parametrize(
    ("answer", "types"),
    [
        ("return torch.empty(4, dtype=torch.int32)", ["torch.int32"]),
        ("return torch.empty_like(x)", ["x.dtype"]),
        ("return torch.empty_like(x, dtype=torch.uint8), x", ["torch.uint8", "x.dtype"]),
        ("return x.new_zeros(3)", ["x.dtype"]),
        ("return x.float().view(-1)", ["torch.float32"]),
        ("return torch.empty_like(x).view(torch.uint8)", ["torch.uint8"]),
        ("y = torch.empty(2, dtype=x.dtype)\n    y = y.view(1, 2)\n    return y", ["x.dtype"]),
        ("x, w = (each.contiguous() for each in (x, w))\n    return torch.empty_like(w)",
         ["w.dtype"]),
        ("return inner(w)", ["w.dtype"]),
        ("return inner(x, torch.float16)", ["torch.float16"]),
        ("a, b = two(x)\n    return b, a", ["torch.int8", "x.dtype"]),
        ("return Twice.apply(w)", ["w.dtype"]),
        ("return torch.empty_like(x) if w is None else x.contiguous()", ["x.dtype"]),
        ("layer = Layer(3).to(x.device)\n    return layer(x)", ["x.dtype"]),
        ("return Wider().eval()(x)", ["torch.float32"]),
        ("layer = Layer(3)\n    return torch.func.functional_call(layer, {}, (w,))", ["w.dtype"]),
        ("s = torch.empty(3, dtype=torch.float32)\n    loss = 0.5 * torch.log(s) - s\n"
         "    return torch.where(s > 0, -loss, s)", ["torch.float32"]),
        ("if w is None:\n        return unknown(x)\n    return x.clone()", ["x.dtype"]),
        ("y = x.clone() if w else None\n    if w:\n        y = None\n    return x, y",
         ["x.dtype", ""]),
        ("if w is None:\n        return x, w\n    return x.clone(), w", ["x.dtype", "w.dtype"]),
    ],
)  # fmt: skip
def test_the_answer_types_fixed_by_the_text_are_found(answer: str, types: list[str]) -> None:
    assert find_answer_types(_module(answer), "run") == types


@pytest.mark.parametrize(
    "answer",
    [
        "return torch.empty(4)",
        "return x + w",
        "return x.sum()",
        "return torch.empty_like(x) if w is None else torch.empty_like(w)",
        "y = torch.empty_like(x)\n    y += 1\n    return y",
        "for y in (x, w):\n        pass\n    return y",
        "if w is None:\n        return x\n    return w",
        "return inner(x, w)",
        "return inner(*x)",
        "return calls_itself(x)",
        "return unknown(x)",
    ],
)
def test_an_answer_type_that_the_text_does_not_fix_stays_open(answer: str) -> None:
    assert find_answer_types(_module(answer), "run") == [""]


def test_an_optional_answer_is_detected() -> None:
    module = _module("y = None\n    if w:\n        y = x.clone()\n    return x, y")

    assert find_optional_answers(module, "run") == [False, True]


def test_an_optional_reference_is_cast_only_if_it_is_not_none() -> None:
    text = """
    def ref_doubled(x, more):
        return 2 * x.float(), (3 * x.float() if more else None)

    @pytest.mark.parametrize("more", [False, True])
    def test_doubled(more):
        x = torch.randn(64, device=device, dtype=torch.bfloat16)
        y, z = both(x, more)
        expected, third = ref_doubled(x, more)
        torch.testing.assert_close(y.float(), expected)
        torch.testing.assert_close(z.float(), third)
    """
    launcher = DOUBLING.replace(
        "def doubled(",
        "def both(x, more):\n    y = torch.empty_like(x)\n"
        "    doubling_kernel[(4,)](x, y, 64, BLOCK=16)\n    if more:\n"
        "        z = torch.empty_like(x)\n    else:\n        z = None\n"
        "    return y, z\n\n\ndef doubled(",
    )
    outcomes = drafted(
        text.replace("def ref", "from ops.doubling import both\n\n    def ref"),
        ops__doubling=launcher,
    )
    (draft,) = [each.draft for each in outcomes if not each.missing]

    assert draft is not None
    assert (
        "return (expected.to(x.dtype), None if third is None else third.to(x.dtype))"
        in draft.texts.python_code
    )


def test_a_module_without_the_entry_point_has_no_answer_types() -> None:
    assert find_answer_types("x = 1\n", "run") == []


def test_a_reference_widened_only_to_compare_is_cast_to_the_launcher_type() -> None:
    texts = whole(COMPARES).texts

    assert ".to(x.dtype)" in function(texts.python_code, "doubling")


def test_a_launcher_that_allocates_a_wide_answer_keeps_the_reference_wide() -> None:
    wide = DOUBLING.replace("torch.empty_like(x)", "torch.empty_like(x, dtype=torch.float32)")

    texts = whole(COMPARES, ops__doubling=wide).texts

    assert ".to(torch.float32)" in function(texts.python_code, "doubling")


def _module(answer: str) -> str:
    return f"""
import torch


def inner(x, dtype=None):
    return torch.empty(x.shape, dtype=dtype or x.dtype)


def two(x):
    return x.detach(), torch.zeros(1, dtype=torch.int8)


def calls_itself(x):
    return calls_itself(x)


class Layer(torch.nn.Module):
    def forward(self, x):
        return x.clone()


class Base(torch.nn.Module):
    def forward(self, x):
        return x.float()


class Wider(Base):
    pass


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y):
        return y.clone()


def run(x, w):
    {answer}
"""
