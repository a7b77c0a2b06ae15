"""Pairs whose tests prepare their inputs: packed weights, offsets of sequences, gradients."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest
import torch

from curation.pairs.draft import PairDraft
from tests.validation.conftest import Filled
from validation.pairs.generation import generate
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.packed_weights import Weights
from validation.pairs.recipes.recipe import Recipe


def _prepared(recipe: Recipe) -> bool:
    sketches = map(recipe.sketch, range(recipe.combinations))
    return next(sketch for sketch in sketches if sketch is not None).inputs != ()


PREPARED = [recipe for recipe in RECIPES if _prepared(recipe)]


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_a_timed_case_has_the_keys_of_a_shown_case(recipe: Recipe) -> None:
    for draft in generate([recipe], 4, seed=2):
        constants = _constants(draft)
        keys = {tuple(case) for case in constants["CASES"]}

        assert {tuple(case) for case in constants["PERF_CASES"]} == keys
        assert len(keys) == 1


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_a_pair_with_a_backward_declares_and_compares_gradients(recipe: Recipe) -> None:
    for draft in generate([recipe], 2, seed=2):
        has_backward = "torch.autograd.Function" in draft.triton_code

        assert draft.differentiable == has_backward
        assert ("expected.backward(upstream)" in draft.test_code) == has_backward


@pytest.mark.parametrize("recipe", PREPARED, ids=lambda recipe: recipe.name)
def test_an_autotuned_kernel_has_several_configurations(recipe: Recipe) -> None:
    for draft in generate([recipe], 2, seed=2):
        if "triton.autotune" in draft.triton_code:
            assert draft.triton_code.count("triton.Config(") > 1


def test_mxfp4_quantization_keeps_the_values_that_mxfp4_has(filled: Filled) -> None:
    quantize = _reference(_recipe("mxfp4-quantize"), "mxfp4_quantize", filled)
    dequantize = _reference(_mxfp4_dequantization(), "mxfp4_dequantize", filled)
    levels = torch.tensor([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0])
    # 6 is among each 32 values, so the exponent of the group is that of its power of two.
    row = torch.cat([levels, -levels]).repeat(2)
    x = torch.stack([row, 0.25 * row, 1024.0 * row])

    assert torch.equal(dequantize(*quantize(x)).float(), x)


def test_mxfp4_exponents_of_values_just_below_a_power_of_two_are_exact(filled: Filled) -> None:
    quantize = _reference(_recipe("mxfp4-quantize"), "mxfp4_quantize", filled)
    powers = 2.0 ** torch.arange(-20, 21)
    below = torch.nextafter(powers, torch.zeros(()))

    for values, exponents in ((powers, torch.arange(-20, 21)), (below, torch.arange(-21, 20))):
        _, stored = quantize(values[:, None].repeat(1, 32))
        # The largest level is 6, whose power of two is 4.
        assert torch.equal(stored[:, 0].long() - 127, exponents - 2)


def _constants(draft: PairDraft) -> dict[str, Any]:
    return {
        target.id: ast.literal_eval(node.value)
        for node in ast.parse(draft.test_code).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name) and target.id.endswith("CASES")
    }


def _recipe(name: str) -> Recipe:
    return next(recipe for recipe in RECIPES if recipe.name == name)


def _mxfp4_dequantization() -> Recipe:
    return _with(_recipe("weight-only-dequantize"), Weights("mxfp4", 32))


def _with(recipe: Recipe, weights: Weights) -> Recipe:
    return replace(recipe, axes={**recipe.axes, "weights": (weights,)})


def _reference(recipe: Recipe, name: str, filled: Filled) -> Any:
    (draft,) = generate([recipe], 1)
    assert draft.entry_point == name
    return getattr(filled("python_code", draft.python_code), name)
