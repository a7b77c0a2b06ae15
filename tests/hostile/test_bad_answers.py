"""A program that answers garbage loses its own verdict. The other programs keep theirs.

The programs of `bad_answers/` run for real: in one run, with an honest item before and after each.
"""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from curation.models import Device, RunState, ValidationResult, ValidationRun, Verdict
from tests.factories import a_kernel, a_pair
from tests.hostile.zoo.load import ZOO, read_code
from validation.jobs import validate
from validation.run_requests import request_validation

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PROGRAMS = Path(__file__).with_name("bad_answers")
HONEST = (PROGRAMS / "kernels" / "honest.py").read_text()
TEXTS = asdict(read_code(ZOO / "honest" / "vector-add", "vector_add"))
FORGED = (PROGRAMS / "kernels" / "forged.py").read_text()


def forged(answer: str) -> str:
    """Return a program that answers this in the place of the compiler."""
    return FORGED.replace("ANSWER", answer)


# What stands before an honest kernel, its verdict, and words of its message.
BAD_KERNELS = {
    "deep": (forged('"[" * 200_000'), Verdict.CRASHED, "undecided: crash, "),
    "an endless number": (
        forged("""'{"answer":"compiles","attempts":1e999}'"""),
        Verdict.CRASHED,
        "undecided: crash, ",
    ),
    "without a reason": (
        forged("""'{"answer":"undecided"}'"""), Verdict.CRASHED, "undecided: crash, "
    ),
    "half a character": (
        'import triton.language as tl\n\ngetattr(tl, "\\ud800")\n',
        Verdict.FAILED,
        "has no attribute '\ufffd'",
    ),
}  # fmt: skip
# The name of a program, and the text of its pair that ends with it.
BAD_PAIRS = [("brackets", "triton_code"), ("brackets", "test_code"), ("odd_signal", "triton_code")]


def checked(items: list[Any], device: Device, **options: Any) -> ValidationRun:
    (run,) = request_validation(items, device=device, hand_over=False, options=options)
    validate(run.pk)
    run.refresh_from_db()
    return run


def results(run: ValidationRun, items: list[Any]) -> list[ValidationResult]:
    """Return the results in the order of the items; each has one."""
    kind = items[0]._meta.model_name
    found = {getattr(result, f"{kind}_id"): result for result in run.results.all()}
    return [found[item.pk] for item in items]


def among_honest(honest: Any, bad: list[Any]) -> list[Any]:
    """Return the bad ones at the odd places of a list, and an honest one at each even place."""
    items = [honest]
    for each in bad:
        items += [each, honest]
    return items


def test_bad_compile_answers_do_not_affect_other_kernels() -> None:
    bad = [f"{before}\n\n{HONEST}" for before, *_ in BAD_KERNELS.values()]
    sources = among_honest(HONEST, bad)
    kernels = [a_kernel(name="kernel", standalone_source=source) for source in sources]

    run = checked(kernels, Device.COMPILER)

    assert (run.state, run.done) == (RunState.SUCCEEDED, len(kernels))
    found = results(run, kernels)
    for (name, (_, verdict, words)), result in zip(BAD_KERNELS.items(), found[1::2], strict=True):
        assert result.verdict == verdict, name
        assert words in result.message, name
        assert f"{result.kernel}: {verdict}." in run.log
    assert {result.verdict for result in found[::2]} == {Verdict.PASSED}


def test_bad_validation_answers_do_not_affect_other_pairs() -> None:
    bad = [
        {**TEXTS, text: f"{TEXTS[text]}\n\n{(PROGRAMS / 'pairs' / f'{name}.py').read_text()}"}
        for name, text in BAD_PAIRS
    ]
    pairs = [a_pair(entry_point="vector_add", **texts) for texts in among_honest(TEXTS, bad)]

    run = checked(pairs, Device.INTERPRETER)

    assert (run.state, run.done) == (RunState.SUCCEEDED, len(pairs))
    found = results(run, pairs)
    for program, result in zip(BAD_PAIRS, found[1::2], strict=True):
        assert result.verdict == Verdict.CRASHED, (program, result.message)
        assert result.message
        assert f"{result.pair}: {Verdict.CRASHED}." in run.log
    assert {result.verdict for result in found[::2]} == {Verdict.PASSED}
