"""The shipped layers themselves, before Inductor writes anything for them."""

from __future__ import annotations

from typing import Any

import pytest

from curation.pairs.draft import PairDraft
from tests.validation.conftest import Filled
from validation.pairs.inductor.generation import in_turns, of_modules
from validation.pairs.inductor.modules import MODULES

torch = pytest.importorskip("torch", reason="references are PyTorch's")
# The rest is for what is tested: whoever rounds in other places is off by as much again.
OF_WHAT_IS_ALLOWED = 0.5
DRAFTS = {offer.draft.entry_point: offer.draft for offer in of_modules(MODULES)}


@pytest.mark.parametrize("draft", DRAFTS.values(), ids=DRAFTS)
def test_the_rounding_of_a_layer_uses_at_most_half_the_tolerance(
    draft: PairDraft, filled: Filled
) -> None:
    """On the CPU some of torch's layers round in between what they do on a GPU in one go."""
    reference = filled("python_code", draft.python_code)
    filled("triton_code", draft.python_code)
    test = filled("test_code", draft.test_code)
    layer = getattr(reference, draft.entry_point)
    for case in test.CASES:
        given = test.make_inputs(case, "cpu")
        relative, absolute = test.TOLERANCE[case["dtype"]]
        for answer, exact in zip(
            tensors(layer(*given)), tensors(layer(*map(widened, given))), strict=True
        ):
            allowed = absolute + relative * exact.double().abs()
            off = (answer.double() - exact.double()).abs() / allowed
            assert (off[exact.isfinite()] <= OF_WHAT_IS_ALLOWED).all(), case


def test_offers_alternate_operation_types_and_repeat_no_function_early() -> None:
    drafts = [offer.draft for offer in in_turns(of_modules(MODULES))]
    kinds = {draft.operation_type for draft in drafts}

    assert {draft.operation_type for draft in drafts[: len(kinds)]} == kinds
    assert len({draft.entry_point for draft in drafts[: len(MODULES)]}) == len(MODULES)
    assert len(drafts) == len(list(of_modules(MODULES)))


def tensors(answer: Any) -> list[Any]:
    parts = answer if isinstance(answer, tuple) else (answer,)
    return [part for part in parts if part.is_floating_point()]


def widened(value: Any) -> Any:
    wide = isinstance(value, torch.Tensor) and value.is_floating_point()
    return value.double() if wide else value
