"""The device on which the reference answers, on a machine with a GPU.

Only the questions to the reference are replaced, since tests have no GPU.
"""

from typing import Any, cast

import pytest

from validation.harness.plan.arguments import Inputs
from validation.harness.pool.children import ChildAnswer
from validation.harness.report import Check, Verdict
from validation.harness.session import references
from validation.harness.session.entry_session import Session, Stopped

NO_INPUTS = Inputs([], {}, [])


class GpuSession:
    device = "cuda"


def ask(monkeypatch: pytest.MonkeyPatch, verdict_on_cpu: Verdict) -> str:
    """Return the device on which the reference answered, if the CPU gives this verdict."""

    def answers(session: Any, device: str, inputs: Inputs, **more: Any) -> list[ChildAnswer]:
        if device == "cpu":
            raise Stopped(Check("accuracy", verdict_on_cpu, "python_code: not done after 60 s"))
        return [ChildAnswer({"runs": []}, [])]

    monkeypatch.setattr(references, "_answers", answers)
    return references.ask_reference(cast(Session, GpuSession()), NO_INPUTS)[1]


def test_a_reference_that_times_out_on_the_cpu_runs_on_the_gpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ask(monkeypatch, Verdict.TIMEOUT) == "cuda"


def test_a_reference_that_crashes_on_the_cpu_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(Stopped):
        ask(monkeypatch, Verdict.CRASHED)
