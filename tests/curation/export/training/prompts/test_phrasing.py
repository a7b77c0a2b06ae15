"""Three phrasings of a pair's task, and the rules that each must keep."""

import pytest

from curation.export.training.prompts.cases import TestCases as Cases
from curation.export.training.prompts.cases import parameters_of, read_cases
from curation.export.training.prompts.phrasing import Phrasings, flaws, phrase
from validation.pairs.generation import generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES

FUSED = """\
import torch
import torch.nn.functional as F


def fused(x, bias):
    y = F.gelu(x + bias)
    return torch.softmax(y, dim=-1)
"""
HASH = "ab" * 32


def phrasings(description: str, python: str = FUSED, hashed: str = HASH) -> Phrasings:
    return phrase(
        description=description, python_code=python, entry_point="fused", content_hash=hashed
    )


GOOD = "For each row of a matrix, add `bias`, apply GELU, then apply softmax."


@pytest.mark.parametrize("number", range(30))
def test_every_frame_keeps_the_rules(number: int) -> None:
    found = phrasings(GOOD, hashed=f"{number:064x}")

    assert found.from_grammar
    assert len(set(found.texts)) == 3
    for text in found.texts:
        assert GOOD in text
        assert text.endswith(".")
        assert "  " not in text


def test_a_description_of_real_code_by_its_name_gets_the_operations() -> None:
    found = phrasings("Compute `Fused` (softmax), as its test in ada/kernels compares it.")

    for text in found.texts:
        assert "ada/kernels" not in text
        assert "the softmax function `Fused`" in text
        assert "It involves GELU, a softmax and an addition." in text


def test_an_option_that_the_reference_lacks_is_dropped() -> None:
    found = phrasings("Apply GELU and softmax, optionally fusing dropout.")

    assert found.from_grammar
    assert not any("dropout" in text for text in found.texts)


def test_a_function_without_main_operations_gets_its_minor_ones() -> None:
    python = "def fused(x, bias):\n    return x * bias + x\n"

    for text in phrasings("Compute `LigerMHCPre`, from ada/kernels.", python).texts:
        assert "the function `LigerMHCPre`. It involves a multiplication and an addition." in text


@pytest.mark.parametrize(
    "description",
    ["", "Compute it with BLOCK_SIZE columns, GELU and softmax.", f"Apply {'GELU, ' * 70}x."],
    ids=["empty", "internals", "long"],
)
def test_a_description_that_breaks_a_rule_is_used_alone(description: str) -> None:
    assert phrasings(description) == Phrasings((description,), False)


def test_code_that_does_not_parse_keeps_its_description() -> None:
    assert not phrasings(GOOD, python="def fused(x:").from_grammar


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Apply GELU and softmax to `x`.", "input bias"),
        ("Apply GELU, softmax to `x`, `bias` with num_warps=4.", "internal"),
        ("Apply GELU, softmax to `x`, `bias` as `_softmax_kernel`.", "internal"),
        (f"Apply GELU, softmax to `x`, `bias` {'again ' * 60}.", "60 words"),
    ],
)
def test_each_rule_finds_its_flaw(text: str, rule: str) -> None:
    broken = flaws(text, "fused", ("x", "bias"))

    assert len(broken) == 1
    assert rule in broken[0]


@pytest.mark.slow
def test_all_pairs_are_phrased_in_three_ways_that_keep_the_rules() -> None:
    for draft in (*handwritten(), *generate(RECIPES, 120, 5)):
        found = phrase(
            description=draft.sentence, python_code=draft.python_code,
            entry_point=draft.entry_point, content_hash=draft.content_hash,
        )  # fmt: skip
        assert found.from_grammar, draft.sentence
        assert len(set(found.texts)) == 3
        parameters = parameters_of(draft.python_code, draft.entry_point)
        assert parameters is not None
        for text in found.texts:
            assert flaws(text, draft.entry_point, parameters) == []
            assert not [other for other in found.texts if other != text and other.startswith(text)]


# --- Inputs that are read from a reference and from its test ---------------------------------
TEST = """\
CASES = [
    {"rows": 1, "cols": 7, "dtype": "float16", "layout": "contiguous", "seed": 0},
    {"rows": 5, "cols": 9, "dtype": "float32", "BLOCK_SIZE": 128, "num_warps": 4, "seed": 1},
    {"rows": 5, "cols": 9, "dtype": "float32", "seed": 2},
]


def make_inputs(case, device):
    rows, cols = case["rows"], case["cols"]
    x = torch.randn((rows, 2 * cols), generator=generator).to(device)
    bias = torch.zeros(case["cols"], device=device)
    index = torch.randint(0, rows, (rows,))
    return x, bias, index, 0.5
"""


def test_shapes_sizes_and_dtypes_are_read_from_the_test() -> None:
    assert read_cases(TEST, ("bias", "x", "index", "eps")) == Cases(
        ("bias: (cols)", "x: (rows, 2 * cols)", "index: (rows)"),
        ("rows=1, cols=7", "rows=5, cols=9"),
        ("float16", "float32"),
    )


PAGES = """\
CASES = [{"pages": 3, "dtype": "float16"}]


def make_inputs(case, device):
    count = case["pages"]
    rows = count * 8
    cache_shape = (rows + 1, 16, 4)
    cache = torch.randint(-127, 128, cache_shape).to(torch.int8)
    cache = laid_out(cache.view(torch.uint8)).view(torch.int8)
    scale = 2.0 * torch.rand(rows + 1, 16).clamp(0.1)
    return cache, scale
"""


def test_local_names_of_sizes_are_replaced_and_narrow_dtypes_are_named() -> None:
    assert read_cases(PAGES, ("cache", "scale", "eps")) == Cases(
        ("cache: (pages * 8 + 1, 16, 4)", "scale: (pages * 8 + 1, 16)"),
        ("pages=3",),
        ("float16", "int8"),
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('count = case["pages"]', "count = int(starts[-1])"),
        (".clamp(0.1)", ".repeat(2)"),
        ("scale = 2.0", "scale, other = 2.0"),
    ],
)
def test_shapes_are_left_out_if_one_is_unknown(old: str, new: str) -> None:
    assert read_cases(PAGES.replace(old, new), ("cache", "scale", "eps")).shapes == ()


def test_a_test_without_cases_has_the_dtypes_of_its_tolerances() -> None:
    text = "TOLERANCE = {'float32': (1e-5, 1e-5), 'bfloat16': (1e-2, 1e-2)}\n"

    assert read_cases(text, ("x",)) == Cases(dtypes=("bfloat16", "float32"))


def test_a_test_that_can_not_be_read_has_no_cases() -> None:
    assert read_cases("CASES = [{'a': f()}]\n", ("x",)) == Cases()
    assert read_cases("def (", ("x",)) == Cases()


def test_a_module_has_the_parameters_of_its_forward() -> None:
    text = "class A:\n    def forward(self, x, *rest, scale=1):\n        return x\n"

    assert parameters_of(text, "A") == ("x", "*rest", "scale")
    assert parameters_of(text, "B") is None
