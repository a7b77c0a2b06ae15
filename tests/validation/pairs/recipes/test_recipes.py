"""Every branch of every template is written by some combination, and what comes out is sound."""

from __future__ import annotations

import importlib.util
import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from jinja2 import Environment

from tests.validation.pairs.recipes.tracing import Branch, tracing_environment
from tests.validation.pairs.recipes.triton_calls import wrong_calls
from validation.pairs.contract import violations
from validation.pairs.generation import generate
from validation.pairs.inductor.sketches import layer
from validation.pairs.recipes import rendering
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.ladders import LADDERS, rendered_rung
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.rendering import TEMPLATES, rendered, rendered_test
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.styles import STYLES

EXACT = next(style for style in STYLES if style.exact)
# A draw that no recipe has.
WITH_A_MASK = layer(
    "where", "Compute where.", "element-wise", "mask [n] mask; x [n]",
    "return torch.where(mask, x, -x)",
)  # fmt: skip
# The others are for what is drafted from real code.
OF_RECIPES = ("python", "triton", "pytest")


def test_there_are_enough_recipes_with_distinct_names() -> None:
    names = [recipe.name for recipe in RECIPES]

    assert len(names) == len(set(names)) >= 25
    assert sum(recipe.combinations for recipe in RECIPES) > 1_000_000


@dataclass(frozen=True)
class Coverage:
    """Branches of the templates, and the Triton sides that were written to take them."""

    templates: list[str]
    known: set[Branch]
    taken: set[Branch]
    kernels: set[str]


@pytest.fixture(scope="module")
def coverage() -> Coverage:
    environment, known, taken = tracing_environment()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rendering, "templates", lambda: environment)
        kernels = _rendered_kernels(environment, known, taken)
    return Coverage(environment.list_templates(), known, taken, kernels)


def _rendered_kernels(environment: Environment, known: set[Branch], taken: set[Branch]) -> set[str]:
    kernels = set()
    for name in environment.list_templates():
        if name.partition("/")[0] in OF_RECIPES:
            environment.get_template(name)

    rendered_test(WITH_A_MASK)
    for ladder in LADDERS:
        for rung in ladder.rungs:
            kernels.add(rendered_rung(ladder, rung).triton_code)
    # Recipes take turns until the last branch is taken. Only its own sketches write a template of
    # the Triton side; all sketches write the other templates.
    for number, turn in enumerate(itertools.zip_longest(*map(_covering, RECIPES))):
        left = {name for name, _, _ in known - taken}
        if not left:
            break
        shared = any(not name.startswith("triton/") for name in left)
        for sketch in filter(None, turn):
            if shared or f"{sketch.triton}.py.j2" in left:
                # The branches of the exact style are the rarest.
                for style in (STYLES[number % len(STYLES)], EXACT):
                    texts = rendered(sketch, style)
                    kernels.add(texts.triton_code)
    return kernels


@pytest.mark.slow
def test_some_combination_takes_every_branch_of_every_template(coverage: Coverage) -> None:
    assert {name for name, _, _ in coverage.known} <= set(coverage.templates)
    assert sorted(coverage.known - coverage.taken) == []


@pytest.mark.slow
def test_every_branch_calls_triton_with_arguments_that_its_functions_have(
    coverage: Coverage,
) -> None:
    wrong = {call for code in coverage.kernels for call in wrong_calls(code)}

    assert sorted(wrong) == []
    assert len(coverage.kernels) > 500


def test_every_template_is_used_by_a_recipe_or_a_rung() -> None:
    used = {recipe.entry["template"] for recipe in RECIPES}
    used |= {rung.triton.removeprefix("triton/") for ladder in LADDERS for rung in ladder.rungs}

    files = {path.name.removesuffix(".py.j2") for path in (TEMPLATES / "triton").glob("*.py.j2")}
    assert files == used


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_pairs_of_each_recipe_follow_the_contract(recipe: Recipe) -> None:
    for draft in generate([recipe], 12, seed=1):
        assert violations(draft.as_record()) == []
        for text in (draft.python_code, draft.triton_code, draft.test_code):
            assert max(map(len, text.splitlines())) <= 120
            assert text.endswith("\n")


@pytest.mark.parametrize("generator", ["_uniform(", "tl.rand("])
def test_a_kernel_compiles_for_a_seed_of_one(tmp_path: Path, generator: str) -> None:
    """Triton turns an integer argument of 1 into a constant, which has no methods."""
    pytest.importorskip("triton.backends.nvidia")
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource, compile
    from triton.runtime import Autotuner

    recipe = next(one for one in RECIPES if one.name == "seeded-random")
    draft = next(one for one in generate([recipe], 12, seed=7) if generator in one.triton_code)
    path = tmp_path / "seeded_by_one.py"
    path.write_text(draft.triton_code)
    spec = importlib.util.spec_from_file_location("seeded_by_one", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel = getattr(module, f"{draft.entry_point}_kernel")
    kernel = kernel.fn if isinstance(kernel, Autotuner) else kernel
    constants = {"seed": 1} | {name: 1024 for name in kernel.arg_names if name.isupper()}
    types = {
        name: "constexpr" if name in constants else _type_of(name) for name in kernel.arg_names
    }
    places = {(kernel.arg_names.index(name),): value for name, value in constants.items()}

    compiled = compile(ASTSource(kernel, types, places), target=GPUTarget("cuda", 90, 32))

    assert "ptx" in compiled.asm


def _type_of(name: str) -> str:
    if name == "p":
        return "fp32"
    return "*fp32" if name.endswith(("_ptr", "_pointer", "_base")) else "i32"


def _covering(recipe: Recipe) -> Iterator[Sketch]:
    """Each value of each axis, of a long one many, beside others at random."""
    draw = random.Random(recipe.name)  # noqa: S311 - to be repeated, not to be secret
    sizes = [len(values) for values in recipe.axes.values()]
    for axis, size in enumerate(sizes):
        # A long axis begins with its simplest values.
        values = {*range(min(size, 50)), *draw.sample(range(size), min(size, 40))}
        for value in sorted(values):
            tried = (_at(axis, value, sizes, draw) for _ in range(80))
            sketches = (sketch for number in tried if (sketch := recipe.sketch(number)))
            yield from itertools.islice(sketches, 4)


def _at(axis: int, value: int, sizes: list[int], draw: random.Random) -> int:
    """The number of a combination with this value, the rest drawn, the first of each often."""
    number, unit = 0, 1
    for place, size in enumerate(sizes):
        number += unit * (value if place == axis else draw.choice((0, draw.randrange(size))))
        unit *= size
    return number
