"""Drafts are run in the real sandbox, and lose the code that no case needs."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from validation.observing.simplify import simplifier

PROGRAMS = Path(__file__).with_name("programs")
FILES = {"python_code": "python.py", "triton_code": "triton.py", "test_code": "made.py"}
Texts = dict[str, str]


@pytest.fixture(scope="module")
def simplify() -> Iterator[Callable[..., Texts]]:
    with simplifier() as function:
        yield lambda texts, entry, differentiable=False: dict(
            function(texts, entry, differentiable)
        )


def draft(name: str) -> Texts:
    return {text: (PROGRAMS / name / file).read_text() for text, file in FILES.items()}


def test_code_that_no_case_runs_goes_and_other_sizes_and_layouts_keep_theirs(
    simplify: Callable[..., Texts],
) -> None:
    simplified = simplify(draft("scaled"), "scaled")
    assert simplified["triton_code"] == (PROGRAMS / "scaled/simplified.py").read_text()
    assert "bias" not in simplified["python_code"]
    assert simplified["test_code"] == draft("scaled")["test_code"]


def test_a_second_run_changes_nothing_more(simplify: Callable[..., Texts]) -> None:
    once = simplify(draft("scaled"), "scaled")
    assert simplify(once, "scaled") == once


def test_kernels_of_the_backward_pass_stay(simplify: Callable[..., Texts]) -> None:
    simplified = simplify(draft("squared"), "squared", differentiable=True)
    assert "_backward_kernel[" in simplified["triton_code"]
    assert "needs_input_grad" not in simplified["triton_code"]


@pytest.mark.parametrize(
    "broken",
    [
        "raise ValueError('no such machine')",
        "import sys; sys.exit(3)",
        "(" * 5000,
    ],
)
def test_a_draft_that_fails_stays_as_it_is(simplify: Callable[..., Texts], broken: str) -> None:
    texts = draft("scaled")
    texts["triton_code"] += f"\n{broken}\n"
    assert simplify(texts, "scaled") == texts


@pytest.mark.parametrize(
    "answer", ["[1]", "null", '{"cases": [{}]}', '{"cases": 3, "launches": 4}']
)
def test_a_draft_that_forges_the_answer_stays_as_it_is(
    simplify: Callable[..., Texts], answer: str
) -> None:
    texts = draft("scaled")
    texts["python_code"] += f"\nimport json\njson.dumps = lambda *_, **__: {answer!r}\n"
    assert simplify(texts, "scaled") == texts


def test_a_draft_that_does_something_else_each_time_stays_as_it_is(
    simplify: Callable[..., Texts],
) -> None:
    texts = draft("scaled")
    texts["python_code"] = texts["python_code"].replace(
        "* factor", "* factor + __import__('os').getpid()"
    )
    assert simplify(texts, "scaled") == texts
