"""Inputs that are read from a reference and from its test."""

from curation.export.training.prompts.cases import TestCases as Cases
from curation.export.training.prompts.cases import parameters_of, read_cases

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


def test_local_names_of_sizes_are_replaced_and_narrow_dtypes_are_named() -> None:
    text = """\
CASES = [{"pages": 3, "dtype": "float16"}]


def make_inputs(case, device):
    pages = case["pages"]
    rows = pages * 8
    cache_shape = (rows + 1, 16, 4)
    cache = torch.randint(-127, 128, cache_shape).to(torch.int8)
    scale = torch.rand(cache_shape[:-1])
    table = torch.rand(case["shape"])
    return cache, scale, table
"""

    assert read_cases(text, ("cache", "scale", "table")) == Cases(
        ("cache: (pages * 8 + 1, 16, 4)", "scale: (pages * 8 + 1, 16)", "table: shape"),
        ("pages=3",),
        ("float16", "int8"),
    )


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
