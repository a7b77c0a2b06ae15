"""Runs of the entry's test against its damaged reference, to see whether the test can fail.

One pytest session: where pytest would call a test once, it is called once for each damage that no
test has noticed yet. Damaged answers stay in the graph of gradients, so that a test of gradients is
not red merely for their absence. Where the entry declares gradients, these are damaged too, on the
way back to what the reference was given, and its answers are left as they are.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from validation.harness.inside.complaint import described
from validation.harness.inside.damages import (
    DAMAGES,
    RELATIVE_HALF,
    Damage,
    as_tensor,
    differ,
    leaves,
    relative,
    zeros,
)
from validation.harness.inside.suite import run_pytest
from validation.harness.inside.values import rebuilt, tensors_in

Change = Callable[[torch.Tensor], torch.Tensor]
Instead = Sequence[tuple[dict[str, Any], "dict[str, Any] | None"]]

LARGE = 16
# Of more outputs, or gradients, than this the others are damaged only with all the rest.
DAMAGED_ALONE = 16
NO_GRADIENTS = "all zeros in the gradients"


@dataclass(frozen=True, slots=True)
class Harm:
    damage: Damage
    # Of several outputs, or inputs, which; None: all of them.
    place: int | None = None
    # On the way back, and not in the answer.
    of_gradients: bool = False


def survey(folder: Path, instead: Instead = (), *, gradients: bool = False) -> dict[str, Any]:
    """`instead`: cases whose inputs are too large for this, with what stands in for them;
    `gradients`: whether the entry declares them."""
    plugin = Survey(instead, gradients=gradients)
    run_pytest(folder, plugin)
    return {
        "tests": plugin.tests,
        "skipped": plugin.skipped,
        "control": plugin.control,
        "called": plugin.called,
        **plugin.verdicts(),
    }


class Survey:
    def __init__(self, instead: Instead = (), *, gradients: bool = False) -> None:
        self.instead = instead
        self.gradients = gradients
        self.tests = 0
        self.skipped = 0
        self.called = False
        self.control: dict[str, str] | None = None
        self.harms = {name: Harm(damage) for name, damage in DAMAGES.items()}
        if gradients:
            self.harms[NO_GRADIENTS] = Harm(zeros, of_gradients=True)
            self.harms["small relative error in the gradients"] = Harm(relative, of_gradients=True)
        # By whether the answer was large: a test of one element notices what others let pass.
        self.effective: dict[bool, set[str]] = {True: set(), False: set()}
        self.caught: dict[bool, set[str]] = {True: set(), False: set()}

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        for name, value in arguments.items():
            for case, other in self.instead:
                if isinstance(value, dict) and value == case:
                    if other is None:
                        return True
                    arguments[name] = dict(other)
        self.tests += 1
        if not self._green("control", None, pyfuncitem.obj, arguments):
            return True
        for name, harm in self.harms.items():
            if name not in self.caught[True]:
                self._green(name, harm, pyfuncitem.obj, arguments)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped += 1
            self.tests += report.when == "setup"
        elif report.failed and self.control is None:
            self.control = {"type": "", "text": str(report.longrepr)[-500:], "at": ""}

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.control = {"type": "", "text": str(report.longrepr)[-500:], "at": ""}

    def _undamaged(self, reference: Callable[..., Any], given: Any, named: Any) -> Any:
        """Answer undamaged, and note which outputs and gradients can be damaged alone. Damaging
        all at once does not show a test that looks at one of them only."""
        self.called = True
        before = Before(given, named)
        answer = reference(*given, **named)
        outputs = len(leaves(answer)) + len(before.written())
        if outputs > 1:
            for place in range(min(outputs, DAMAGED_ALONE)):
                self.harms[f"all zeros in output {place + 1} alone"] = Harm(zeros, place)
        inputs = tensors_in((given, named))
        moving = [place for place, tensor in enumerate(inputs) if tensor.requires_grad]
        if self.gradients and len(moving) > 1:
            for place in moving[:DAMAGED_ALONE]:
                name = f"all zeros in the gradient of tensor {place + 1} alone"
                self.harms[name] = Harm(zeros, place, of_gradients=True)
        return answer

    def _green(
        self, name: str, harm: Harm | None, test: Callable[..., Any], named: dict[str, Any]
    ) -> bool:
        damaged = Damaged(harm) if harm else None
        sys.modules["triton_code"]._called = damaged or self._undamaged  # type: ignore[attr-defined]
        try:
            test(**named)
        except pytest.skip.Exception:
            self.skipped += 1
            return False
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - pytest's own failures among them
            if damaged is None:
                self.control = self.control or described(error)
            elif not damaged.unable:
                self.caught[damaged.large].add(name)
                self.effective[damaged.large].add(name)
            return False
        if damaged and damaged.changed:
            self.effective[damaged.large].add(name)
        return True

    def verdicts(self) -> dict[str, list[str]]:
        noticed: list[str] = []
        unnoticed: list[str] = []
        for name in self.harms:
            for large in (True, False):
                if name in self.effective[large]:
                    (noticed if name in self.caught[large] else unnoticed).append(name)
                    break
        if self.gradients and self.called and NO_GRADIENTS not in (*noticed, *unnoticed):
            # No test asks for any.
            unnoticed.append(NO_GRADIENTS)
        return {
            "noticed": noticed,
            "unnoticed": unnoticed,
            "without_effect": [n for n in self.harms if n not in (*noticed, *unnoticed)],
        }


class Damaged:
    """The reference as one call of a test meets it: with one harm done to it."""

    def __init__(self, harm: Harm) -> None:
        self.harm = harm
        self.changed = self.large = self.unable = False

    def __call__(self, reference: Callable[..., Any], given: Any, named: Any) -> Any:
        if not self.harm.of_gradients:
            before = Before(given, named)
            return self._answer(reference(*given, **named), given, before)
        with self._ours():
            given, named = self._to_come_back((given, named))
        return reference(*given, **named)

    def _answer(self, answer: Any, given: Any, before: "Before") -> Any:
        here = self._places()

        def spoilt(tensor: torch.Tensor) -> torch.Tensor:
            return self.harm.damage(tensor, given) if here() else tensor

        def spoilt_number(plain: Any) -> Any:
            if (tensor := as_tensor(plain)) is None:
                return plain
            if self.harm.damage is relative and type(plain) is float:
                # Whatever type it was computed in.
                return plain * (1 + RELATIVE_HALF)
            after = spoilt(tensor)
            # It has no other type to be of.
            return type(plain)(after.item()) if after.dtype is tensor.dtype else plain

        damaged = self._noted(answer, lambda: _rebuilt(answer, spoilt, spoilt_number))
        for tensor in before.written():
            if here():
                after = self._noted(tensor.clone(), lambda it=tensor: self._harmed(it, before))  # type: ignore[misc]
                with torch.no_grad():
                    tensor.copy_(after)
        return damaged

    def _harmed(self, tensor: torch.Tensor, before: "Before") -> torch.Tensor:
        """Return the damaged content of an input that the reference writes to, of its own type."""
        return self.harm.damage(tensor.clone(), before.tensors).to(tensor.dtype)

    def _to_come_back(self, given: Any) -> Any:
        here = self._places()

        def gradient_damaged(gradient: torch.Tensor) -> Any:
            return self._noted(gradient, lambda: self.harm.damage(gradient, ()))

        def through(tensor: torch.Tensor) -> Any:
            if here() and tensor.requires_grad:
                return WayBack.apply(tensor, gradient_damaged)  # type: ignore[no-untyped-call]
            return tensor

        return _rebuilt(given, through, lambda plain: plain)

    def _places(self) -> Callable[[], bool]:
        """Return a function that says for each part in turn whether it is to be damaged."""
        places = count()
        return lambda: self.harm.place is None or self.harm.place == next(places)

    @contextmanager
    def _ours(self) -> Iterator[None]:
        """Note an error of the damaging itself: a test that fails by it noticed nothing."""
        try:
            yield
        except Exception:
            self.unable = True
            raise

    def _noted(self, before: Any, damage: Callable[[], Any]) -> Any:
        with self._ours():
            after = damage()
            self.changed = self.changed or differ(before, after)
        self.large = self.large or any(tensor.numel() >= LARGE for tensor in tensors_in(before))
        return after


class Before:
    """The arguments of a call as they were before it."""

    def __init__(self, given: Any, named: Any) -> None:
        self._now = tensors_in((given, named))
        self.tensors = tuple(tensor.detach().clone() for tensor in self._now)

    def written(self) -> list[torch.Tensor]:
        """Return the arguments that the call wrote to."""
        pairs = zip(self._now, self.tensors, strict=True)
        return [now for now, before in pairs if differ(before, now.detach())]


class WayBack(torch.autograd.Function):
    """Hands on what it is given, and on the way back what `change` makes of that."""

    @staticmethod
    def forward(given: torch.Tensor, change: Change) -> torch.Tensor:
        return given.view_as(given)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.change = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, None]:
        return ctx.change(gradient), None


def _rebuilt(answer: Any, change: Change, plain: Callable[[Any], Any]) -> Any:
    """Rebuild like `rebuilt`, but keep the containers' classes: a test may ask for `.values`."""
    if isinstance(answer, list | tuple):
        parts = [_rebuilt(part, change, plain) for part in answer]
        kind: Any = type(answer)
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(answer, dict):
        copied = copy(answer)
        copied.update({name: _rebuilt(part, change, plain) for name, part in answer.items()})
        return copied
    return rebuilt(answer, change, plain)
