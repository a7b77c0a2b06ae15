"""The pairs written by hand, and a sample of the generated ones, as a stranger meets them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from curation.pairs.draft import PairDraft
from validation.pairs.contract import violations
from validation.pairs.generation import generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES

RUN_PAIRS = Path(__file__).resolve().parents[3] / "benchmarks" / "check_pairs_on_gpu.py"
FOUNDATIONAL = {
    *("add", "subtract", "multiply", "divide", "matmul"),
    *(f"{what}-{where}" for what in ("sum", "max", "min") for where in ("whole", "along-axis")),
}


def test_the_library_contains_foundational_and_24_complex_pairs() -> None:
    names = {draft.slug for draft in handwritten()}

    assert names >= FOUNDATIONAL
    assert len(names - FOUNDATIONAL) >= 24


@pytest.mark.parametrize("draft", list(handwritten()), ids=lambda draft: draft.slug)
def test_each_pair_of_the_library_keeps_the_contract(draft: PairDraft) -> None:
    assert violations(draft.as_record()) == []


@pytest.mark.slow
def test_every_library_pair_passes_pytest_in_an_empty_folder(tmp_path: Path) -> None:
    assert_passing_for_a_stranger(handwritten(), tmp_path)


@pytest.mark.slow
def test_a_sample_of_generated_pairs_passes_pytest_in_an_empty_folder(tmp_path: Path) -> None:
    assert_passing_for_a_stranger(generate(RECIPES, 30, seed=20), tmp_path)


SIGNED_NAN = """\
from python_code import {name} as reference
from triton_code import {name} as candidate

import torch


def test_nan_of_either_sign_is_the_largest():
    nan = torch.tensor(float("nan"))
    x = torch.linspace(-1, 1, 24).reshape(2, 12)
    x[:, 3], x[:, 7] = nan, torch.copysign(nan, torch.tensor(-1.0))
    for found, wanted in zip(answers(candidate, x), answers(reference, x)):
        assert torch.allclose(found, wanted, atol=1e-5, equal_nan=True)


def answers(function, x):
    answer = function(x{more})
    return answer[:1] if isinstance(answer, tuple) else (answer,)
"""


def _takes_one_argument(draft: PairDraft) -> bool:
    functions = [
        node for node in ast.parse(draft.python_code).body if isinstance(node, ast.FunctionDef)
    ]
    return any(node.name == draft.entry_point and len(node.args.args) == 1 for node in functions)


@pytest.mark.slow
def test_bitwise_sorts_handle_nan_of_either_sign(tmp_path: Path) -> None:
    """A processor's own NaN has the sign that a GPU's has not."""
    sorts = [recipe for recipe in RECIPES if recipe.name == "sort"]
    drafts = [
        draft
        for draft in generate(sorts, 48, seed=1)
        # Only exact styles sort by bits. torch.median answers NaN if there is one, wherever it
        # would be sorted.
        if "to_ordered" in draft.triton_code
        and "median" not in draft.entry_point
        and _takes_one_argument(draft)
    ]
    by_hand = [draft for draft in handwritten() if draft.slug == "top-k"]
    assert len(drafts) > 3

    assert_passing_for_a_stranger(
        (
            replace(draft, test_code=SIGNED_NAN.format(name=draft.entry_point, more=more))
            for some, more in ((drafts, ""), (by_hand, ", 5"))
            for draft in some
        ),
        tmp_path,
    )


EVERY_BYTE = """\
from python_code import {name} as reference
from triton_code import {name} as candidate

import torch


def test_every_byte_is_read_as_torch_reads_it():
    q = torch.arange(256).to(torch.uint8).view(torch.{stored}).reshape(4, 64)
    scale = torch.tensor([1.0, 0.5, 2.0, 1.0])
    found, wanted = candidate(q, scale), reference(q, scale)
    assert torch.allclose(found, wanted, rtol=0, atol=0, equal_nan=True)
"""


@pytest.mark.slow
def test_every_float8_bit_pattern_is_dequantized_correctly(tmp_path: Path) -> None:
    """Triton's interpreter takes its NaN and its infinities for numbers."""
    [recipe] = [recipe for recipe in RECIPES if recipe.name == "dequantize"]
    plain = {axis: values[:1] for axis, values in recipe.axes.items()}
    drafts = []
    for stored in ("float8_e4m3fn", "float8_e5m2"):
        [draft] = generate([replace(recipe, axes={**plain, "stored": (stored,)})], 1)
        test = EVERY_BYTE.format(name=draft.entry_point, stored=stored)
        drafts.append(replace(draft, test_code=test))

    assert_passing_for_a_stranger(drafts, tmp_path)


ROUNDED = """\
from python_code import {name} as reference
from triton_code import {name} as candidate

import torch


def test_values_of_every_size_are_rounded_as_torch_rounds_them():
    steps = torch.linspace(-1.0, 1.0, 999)
    x = torch.stack([torch.cat([torch.tensor([448.0]), size * steps]) for size in (448, 9, 0.02)])
    q, scale = candidate(x)
    assert torch.equal(scale, torch.ones(3, 1))
    assert torch.equal(q.float(), x.to(torch.float8_e4m3fn).float())
"""


@pytest.mark.slow
def test_float8_is_rounded_to_nearest_even_in_the_interpreter(tmp_path: Path) -> None:
    """Its own conversion drops the carry: 126.5 becomes 64 instead of 128."""
    [recipe] = [recipe for recipe in RECIPES if recipe.name == "fp8-block-quantize"]
    plain = {axis: values[:1] for axis, values in recipe.axes.items()}
    axes = {**plain, "granularity": ("token",), "dtypes": (("float32",),)}
    [draft] = generate([replace(recipe, axes=axes)], 1)
    test = ROUNDED.format(name=draft.entry_point)

    assert_passing_for_a_stranger([replace(draft, test_code=test)], tmp_path)


def assert_passing_for_a_stranger(drafts: Iterable[PairDraft], folder: Path) -> None:
    assert_records_pass((draft.as_record() for draft in drafts), folder)


def assert_records_pass(records: Iterable[Mapping[str, Any]], folder: Path) -> None:
    """Three files in an empty folder and pytest, in Triton's interpreter; nothing of ours there."""
    file = folder / "pairs.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    environment = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
    done = subprocess.run(
        [sys.executable, str(RUN_PAIRS), str(file), "--jobs", "2", "--deadline", "300"],
        cwd=folder,
        env={**environment, "TRITON_INTERPRET": "1", "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-2000:]}"
