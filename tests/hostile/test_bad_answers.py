"""A program that answers garbage loses its own verdict. The other programs keep theirs.

The programs of `bad_answers/` run for real: a run of 13 items, of which the third is bad.
"""

from pathlib import Path
from typing import Any

import pytest

from curation.models import Device, RunState, ValidationResult, ValidationRun, Verdict
from tests.factories import a_kernel, a_pair
from tests.hostile.zoo.load import ZOO
from validation.jobs import validate
from validation.requests import request_validation

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PROGRAMS = Path(__file__).with_name("bad_answers")
HONEST = (PROGRAMS / "kernels" / "honest.py").read_text()
TEXTS = {path.stem: path.read_text() for path in (ZOO / "honest" / "vector-add").glob("*_code.py")}
COUNT, BAD = 13, 2


def checked(items: list[Any], device: Device, **options: Any) -> ValidationRun:
    (run,) = request_validation(items, device=device, hand_over=False, options=options)
    validate(run.pk)
    run.refresh_from_db()
    return run


def results(run: ValidationRun, items: list[Any]) -> list[ValidationResult]:
    """The results in the order of the items; each has one."""
    kind = items[0]._meta.model_name
    found = {getattr(result, f"{kind}_id"): result for result in run.results.all()}
    return [found[item.pk] for item in items]


@pytest.mark.parametrize(
    ("program", "verdict", "words"),
    [
        ("deep", Verdict.CRASHED, "undecided: crash, "),
        ("endless_number", Verdict.CRASHED, "undecided: crash, "),
        ("without_reason", Verdict.CRASHED, "undecided: crash, "),
        ("half_a_character", Verdict.FAILED, "has no attribute '\ufffd'"),
    ],
)
def test_a_bad_compile_answer_does_not_affect_other_kernels(
    program: str, verdict: Verdict, words: str
) -> None:
    sources = [HONEST] * COUNT
    sources[BAD] = (PROGRAMS / "kernels" / f"{program}.py").read_text()
    kernels = [a_kernel(name="kernel", standalone_source=source) for source in sources]

    run = checked(kernels, Device.COMPILER)

    assert (run.state, run.done) == (RunState.SUCCEEDED, COUNT)
    bad = results(run, kernels).pop(BAD)
    assert bad.verdict == verdict
    assert words in bad.message
    others = [result for result in results(run, kernels) if result.pk != bad.pk]
    assert {result.verdict for result in others} == {Verdict.PASSED}
    assert f"{bad.kernel}: {verdict}." in run.log


@pytest.mark.parametrize(
    ("program", "text", "verdict"),
    [
        ("brackets", "triton_code", Verdict.CRASHED),
        ("brackets", "test_code", Verdict.CRASHED),
        ("odd_signal", "triton_code", Verdict.CRASHED),
    ],
)
def test_a_bad_validation_answer_does_not_affect_other_pairs(
    program: str, text: str, verdict: Verdict
) -> None:
    bad_text = f"{TEXTS[text]}\n\n{(PROGRAMS / 'pairs' / f'{program}.py').read_text()}"
    texts = [TEXTS] * COUNT
    texts[BAD] = {**TEXTS, text: bad_text}
    pairs = [a_pair(entry_point="vector_add", **each) for each in texts]

    run = checked(pairs, Device.INTERPRETER)

    assert (run.state, run.done) == (RunState.SUCCEEDED, COUNT)
    found = results(run, pairs)
    bad = found.pop(BAD)
    assert bad.verdict == verdict, bad.message
    assert bad.message
    assert {result.verdict for result in found} == {Verdict.PASSED}
    assert f"{bad.pair}: {verdict}." in run.log
