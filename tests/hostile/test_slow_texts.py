"""Small files whose reading took time quadratic in one expression, name or number."""

import time
from pathlib import Path

import pytest

from ingest.candidate import Candidate, Dropped
from ingest.evidence import Evidence
from ingest.extract import MemoryTree, extract
from tests.conftest import KERNEL
from tests.hostile.test_confined_reading import Tree, a_reader

SIZE = 200_000
SECONDS = 60
"""Each text took minutes to hours. Now all together take about a tenth of this."""

EXPRESSIONS = {
    "sum": "+".join(["1"] * (SIZE // 2)),
    "loads": "+".join(["tl.load(x_ptr)"] * (SIZE // 15)),
    "attributes": "x" + ".a" * (SIZE // 2),
    "methods": "x" + ".a()" * (SIZE // 4),
    "parentheses": "(" * (SIZE // 2) + "x" + ")" * (SIZE // 2),
    "subscripts": "x" + "[x" * (SIZE // 3) + "]" * (SIZE // 3),
    "calls": "tl.exp(" * (SIZE // 8) + "x" + ")" * (SIZE // 8),
    "products": "tl.dot(" * (SIZE // 12) + "x" + ", x)" * (SIZE // 12),
    "signs": "-" * SIZE + "x",
    "lambdas": "lambda: " * (SIZE // 8) + "x",
    "assignments": "x = " * (SIZE // 4) + "x",
}
WORDS = {
    "name": "m" * SIZE,
    "called_name": "mm" * (SIZE // 2) + "(x)",
    "number": "x * " + "9" * SIZE,
    "string": '"' + "a" * SIZE + '"',
}


def a_kernel(value: str) -> bytes:
    return KERNEL.replace("x + y", value).encode()


def test_slow_texts_cost_seconds_and_are_named_beside_good_files() -> None:
    files = {f"{name}.py": a_kernel(text) for name, text in {**EXPRESSIONS, **WORDS}.items()}
    tree = Tree({**files, "good.py": KERNEL.encode()})
    start = time.monotonic()
    with a_reader(tree) as reader:
        items = list(reader.kernels(tree.paths()))
        kernels = [item for item in items if isinstance(item, Candidate)]
        evidence = [reader.evidence(item) for item in kernels]

    assert time.monotonic() - start < SECONDS
    assert {item.path for item in items if isinstance(item, Dropped)} == {
        f"{name}.py" for name in EXPRESSIONS
    }
    assert {item.reason for item in items if isinstance(item, Dropped)} == {"too-slow"}
    assert {Path(item.kernel.path).stem for item in kernels} == {"good", *WORDS}
    assert {type(one) for one in evidence} == {Evidence}


def test_a_deep_expression_is_named_with_its_depth() -> None:
    [problem] = extract(MemoryTree({"k.py": a_kernel(EXPRESSIONS["sum"])}))

    assert "nested more than 1,000 levels deep" in problem.message  # type: ignore[union-attr]


@pytest.mark.parametrize("number", ["9" * 400, "9" * 4300, "1.0e999"])
def test_a_number_above_all_floats_costs_no_kernel(number: str) -> None:
    tree = Tree({"k.py": a_kernel(f"x * {number}")})
    with a_reader(tree) as reader:
        [kernel] = reader.kernels(["k.py"])

        assert isinstance(kernel, Candidate)
        assert isinstance(reader.evidence(kernel), Evidence)
