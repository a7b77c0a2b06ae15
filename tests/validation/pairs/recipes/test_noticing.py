"""Each generated pair's test notices damage: tried with the reference in the candidate's place.

On a GPU the harness does the same for every pair. Here no kernel runs, so this finds a recipe with
weak tests before it takes GPU time. Each recipe gives one or two pairs. `--every-variant` tries
hundreds, in 48 s of processor time.
"""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from curation.pairs.draft import PairDraft
from tests.validation.conftest import Filled
from validation.pairs.generation import generate
from validation.pairs.recipes.catalog import RECIPES

pytest.importorskip("torch", reason="references are PyTorch's")
TRIED = 300


@pytest.fixture(scope="module")
def pairs(pytestconfig: pytest.Config) -> list[PairDraft]:
    if not pytestconfig.getoption("--every-variant"):
        # Each recipe gives one pair before any gives two.
        return generate(RECIPES, len(RECIPES), seed=5)
    made = generate(RECIPES, 3 * TRIED, seed=5)
    return random.Random(5).sample(made, TRIED)  # noqa: S311 - to be repeated


@pytest.mark.slow
def test_the_tests_of_generated_pairs_detect_damaged_answers(
    pairs: list[PairDraft], filled: Filled
) -> None:
    found = {pair.entry_point: _unnoticed(pair, filled) for pair in pairs}

    assert {point: unnoticed for point, unnoticed in found.items() if unnoticed} == {}


def _unnoticed(pair: PairDraft, filled: Filled) -> list[str]:
    from validation.harness.worker.damage import Survey

    reference = filled("python_code", pair.python_code)
    candidate = filled("triton_code", "")

    def answer(*arguments: Any) -> Any:
        return candidate._called(getattr(reference, pair.entry_point), arguments, {})

    setattr(candidate, pair.entry_point, answer)
    test = filled("test_code", pair.test_code)
    survey = Survey()
    for case in test.CASES:
        asked = SimpleNamespace(
            obj=test.test_equivalence,
            funcargs={"case": case},
            _fixtureinfo=SimpleNamespace(argnames=("case",)),
        )
        survey.pytest_pyfunc_call(asked)  # type: ignore[arg-type]
    assert survey.control is None
    seen = survey.verdicts()
    # An answer that zeros don't change is nothing but zeros.
    return seen["unnoticed"] + [name for name in seen["without_effect"] if name == "all zeros"]
