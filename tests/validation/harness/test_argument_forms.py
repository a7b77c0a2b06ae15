"""The forms that an entry's arguments may have, and what a call may leave in them.

Each test checks a whole entry, in a recorder and a replayer of its own.
"""

import pytest

from tests.validation.harness.whole_entries import report as report_of
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.report import Report, Verdict

pytestmark = pytest.mark.slow

PYTHON = """\
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True)
class Affine:
    weight: torch.Tensor
    factor: float = 1.0


class State(NamedTuple):
    total: torch.Tensor
    count: int


def scaled(x, factor):
    return x * factor


"""


def report(pool: WorkerPool, inputs: str, python: str, triton: str = "") -> Report:
    return report_of(pool, PYTHON + python, triton or python, inputs)


@pytest.mark.parametrize(
    ("inputs", "entry"),
    [
        ('{"x": x, "by": 3.0}', "def entry(x, *, by):\n    return scaled(x, by)\n"),
        (
            '(x, {"storage": 3.0, "tensor": 2.0, "dict": "ram"})',
            'def entry(x, limits):\n    return scaled(x, limits["storage"])\n',
        ),
        (
            "(x, {0: 3.0, (1, None): 4.0})",
            "def entry(x, factors):\n    return scaled(x, factors[0] * factors[1, None])\n",
        ),
        (
            "(x, torch.device(device))",
            "def entry(x, device):\n    return scaled(x.to(device), 3.0)\n",
        ),
        (
            "(x, python_code.Affine(x + 1.0, 3.0))",
            "def entry(x, affine):\n    return scaled(affine.weight, affine.factor)\n",
        ),
        (
            "(x, python_code.State(x + 1.0, 3))",
            "def entry(x, state):\n    return scaled(state.total, state.count)\n",
        ),
        ("(x,)", "def entry(x):\n    return {1: scaled(x, 3.0), 'a': scaled(x, 2.0)}\n"),
    ],
    ids=[
        "by keyword",
        "the key storage",
        "keys of numbers",
        "a device",
        "a dataclass",
        "a named tuple",
        "an answer with a key of a number",
    ],
)
def test_an_honest_form_of_arguments_passes(inputs: str, entry: str, pool: WorkerPool) -> None:
    made = report(pool, inputs, entry)

    assert made.verdict is Verdict.PASSED, made.message


def test_a_record_gets_the_class_of_the_text_that_is_called(pool: WorkerPool) -> None:
    own = (
        "class State:\n    pass\n\n\n"
        "def entry(x, state):\n"
        "    assert isinstance(state, tuple) and not isinstance(state, State)\n"
        "    return scaled(state.total, state[1])\n"
    )
    of_reference = "def entry(x, state):\n    return scaled(state.total, State(x, 3).count)\n"

    made = report(pool, "(x, python_code.State(x + 1.0, 3))", of_reference, own)

    assert "accuracy" in [check.name for check in made.checks if check.verdict == "passed"]


COUNTS = "def entry(x, state):\n    state['step'] += 1\n    return scaled(x, 1.0 / state['step'])\n"


@pytest.mark.parametrize(
    ("inputs", "reference", "launcher", "words"),
    [
        ("(x, {'step': 3})", COUNTS, COUNTS, ""),
        (
            "(x, {'step': 3})",
            COUNTS,
            COUNTS.replace("state['step'] += 1", "").replace("/ state['step']", "/ 4"),
            "argument 2 after the call: step is 3, not 4",
        ),
        (
            "(x, [1, 2])",
            "def entry(x, log):\n    return scaled(x, log[0] + 2.0)\n",
            "def entry(x, log):\n    log.append(1)\n    return scaled(x, log[0] + 2.0)\n",
            "argument 2 after the call: it has 3 parts, not 2",
        ),
        (
            "{'x': x, 'state': {'seen': {}}}",
            "def entry(x, state):\n    state['seen']['x'] = x * 2\n    return scaled(x, 2.0)\n",
            "def entry(x, state):\n    return scaled(x, 2.0)\n",
            "argument state after the call: seen.x is missing",
        ),
    ],
    ids=["counted by both", "not counted", "appended to", "not kept"],
)
def test_plain_values_are_compared_after_the_call(
    inputs: str, reference: str, launcher: str, words: str, pool: WorkerPool
) -> None:
    made = report(pool, inputs, reference, launcher)

    expected = Verdict.FAILED if words else Verdict.PASSED
    assert (made.verdict, words in made.message) == (expected, True), made.message
