"""Descriptions of pairs: English sentences in the imperative, from recipes and modules."""

import random
import re
from itertools import islice

import pytest

from curation.pairs.descriptions import derive
from validation.pairs.inductor.modules import MODULES
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.chains import sentence_of
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Sketch

OPENINGS = re.compile(
    r"(?:For each|Along|Over a whole|Accumulate|Add|Apply|Average|Blend|Bound|Cap|Clamp|Clip|"
    r"Compute|Concatenate|Convert|Convolve|Count|Dequantize|Divide|Evaluate|Find|Flip|Gate|Gather|"
    r"Interleave|Interpolate|Invert|Keep|Look up|Map|Mix|Modulate|Move|Multiply|Negate|Normalize|"
    r"Pad|Quantize|Repeat|Reverse|Roll|Rotate|Sample|Scale|Select|Set|Shift|Smooth|Sort|Square|"
    r"Squeeze|Stack|Standardize|Subtract|Sum|Take|Transpose|Turn|Update|Weight)\b"
)


def sampled(recipe: Recipe, count: int = 40) -> list[str]:
    draw = random.Random(recipe.name)  # noqa: S311
    numbers = (draw.randrange(recipe.combinations) for _ in range(50 * count))
    summaries = (sketch.summary for number in numbers if (sketch := recipe.sketch(number)))
    return list(islice(summaries, count))


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_each_recipe_is_described_in_the_imperative(recipe: Recipe) -> None:
    summaries = sampled(recipe)

    assert summaries
    for sentence in summaries:
        assert OPENINGS.match(sentence), sentence
        assert not re.search(
            r"results of|\bit\b(?! (?:along|up|\.)|\.)|\w+ing (?:by|with)\b", sentence
        )
        assert sentence.endswith(".")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.entry_point)
def test_each_module_is_described_in_the_imperative(module: Sketch) -> None:
    assert OPENINGS.match(module.summary), module.summary


@pytest.mark.parametrize(
    ("words", "code"),
    [("Quantize", "round"), ("square root of their width", "sqrt"), ("Interleave", "flatten")],
)
def test_no_module_is_described_by_what_it_does_not_compute(words: str, code: str) -> None:
    described = [module for module in MODULES if words in module.summary]

    assert [module.entry_point for module in described if code not in "".join(module.python)] == []


def test_what_belongs_to_one_step_is_not_joined_to_the_next() -> None:
    steps = ("apply GELU", "apply layer normalization with a weight", "apply ELU")

    assert sentence_of(*steps) == (
        "Apply GELU and layer normalization with a weight, then apply ELU."
    )


def test_a_generated_pair_is_described_by_its_docstring() -> None:
    python = (
        'def transpose(x):\n    """Transpose a matrix\n    and negate it."""\n    return -x.T\n'
    )

    sentence = derive(
        origin="synthetic", entry_point="transpose", operation_type="other", python_code=python,
        split_group="", provenance={},
    )  # fmt: skip

    assert sentence == "Transpose a matrix and negate it."


REAL = {
    "origin": "real-world",
    "entry_point": "run_silu_mul",
    "operation_type": "element-wise",
    "split_group": "operation:linkedin/Liger-Kernel:ops/silu.py:SiLUMulFunction",
    "provenance": {"repository": "linkedin/Liger-Kernel"},
}
ENTRY = "def run_silu_mul(a, b):\n    return reference(a, b)\n"


def test_real_code_is_described_by_its_reference() -> None:
    python = 'def reference(a, b):\n    """Compute SiLU times a gate. Slow."""\n' + ENTRY

    assert derive(python_code=python, **REAL) == "Compute SiLU times a gate."  # type: ignore[arg-type]


def test_a_function_that_computes_a_part_does_not_describe_real_code() -> None:
    python = 'def reference(a, b):\n    """Apply sigmoid to the input."""\n'
    python += "def run_silu_mul(a, b):\n    return a * reference(a, b)\n"

    assert "sigmoid" not in derive(python_code=python, **REAL)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("docstring", "sentence"),
    [
        ("Applies the gate.", "Apply the gate."),
        ("Pure-PyTorch reference for silu(a) * b.", "Compute silu(a) * b."),
    ],
)
def test_an_authors_docstring_becomes_imperative(docstring: str, sentence: str) -> None:
    python = f'def reference(a, b):\n    """{docstring}"""\n' + ENTRY

    assert derive(python_code=python, **REAL) == sentence  # type: ignore[arg-type]


def test_a_description_never_contains_a_local_path() -> None:
    place = {"provenance": {"repository": "/home/ada/Liger-Kernel"}}

    sentence = derive(python_code="", **(REAL | place))  # type: ignore[arg-type]

    assert sentence.endswith("as its test in local/Liger-Kernel compares it.")


def test_real_code_without_a_docstring_is_described_by_its_name() -> None:
    sentence = derive(python_code="def run_silu_mul(): ...\n", **REAL)  # type: ignore[arg-type]

    assert sentence == (
        "Compute `SiLUMulFunction` (element-wise), "
        "as its test in linkedin/Liger-Kernel compares it."
    )


def test_code_that_does_not_parse_has_no_description() -> None:
    assert derive(python_code="def (", **REAL) == ""  # type: ignore[arg-type]
