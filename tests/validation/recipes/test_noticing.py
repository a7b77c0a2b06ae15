"""Each generated pair's test notices damage: tried with the reference in the candidate's place.

On a GPU the harness asks the same of every pair. Here no kernel runs, so hundreds are asked in
seconds, and a recipe whose tests see nothing is found before it costs time of a GPU.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from curation.pairs.draft import PairDraft
from validation.generation import generate
from validation.recipes.catalogue import RECIPES

torch = pytest.importorskip("torch", reason="references are PyTorch's")
TRIED = 300


@pytest.fixture(scope="module")
def pairs() -> list[PairDraft]:
    made = generate(RECIPES, 3 * TRIED, seed=5)
    return random.Random(5).sample(made, TRIED)  # noqa: S311 - to be repeated


@pytest.fixture
def on_the_cpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    for name in ("python_code", "triton_code"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.mark.usefixtures("on_the_cpu")
def test_the_tests_of_generated_pairs_notice_damage(pairs: list[PairDraft]) -> None:
    assert {pair.entry_point: some for pair in pairs if (some := _unnoticed(pair))} == {}


def _unnoticed(pair: PairDraft) -> list[str]:
    from validation.harness.inside.damage import Survey

    reference = _module("python_code", pair.python_code)
    candidate = sys.modules["triton_code"] = ModuleType("triton_code")

    def answer(*arguments: Any) -> Any:
        return candidate._damaged(getattr(reference, pair.entry_point)(*arguments), arguments)

    setattr(candidate, pair.entry_point, answer)
    test = _module("test_code", pair.test_code)
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


def _module(name: str, text: str) -> ModuleType:
    module = sys.modules[name] = ModuleType(name)
    exec(compile(text, f"{name}.py", "exec"), vars(module))  # noqa: S102 - our own recipes'
    return module
