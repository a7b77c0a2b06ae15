"""Runs of the entry's test against its damaged reference, to see whether the test can fail.

In one pytest session each test runs once for every damage that no test has noticed yet. Damaged
answers keep their gradient graph, so that no test fails merely because gradients are missing. If
the entry declares gradients, gradients of the reference's inputs are damaged too, in runs with
undamaged answers.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from validation.harness.worker.damages import (
    DAMAGES,
    RELATIVE_HALF,
    Damage,
    as_tensor,
    differ,
    leaves,
    relative,
    zeros,
)
from validation.harness.worker.folder import described
from validation.harness.worker.suite import Outcomes, run_pytest
from validation.harness.worker.values import rebuilt, tensors_in

Change = Callable[[torch.Tensor], torch.Tensor]
Instead = Sequence[tuple[dict[str, Any], "dict[str, Any] | None"]]

LARGE = 16
# Maximum number of outputs and gradients to damage alone. Others are damaged only all together.
DAMAGED_ALONE = 16
NO_GRADIENTS = "all zeros in the gradients"


@dataclass(frozen=True, slots=True)
class Harm:
    """One damage. `place`: index of the damaged output or input, or None for all."""

    damage: Damage
    place: int | None = None
    of_gradients: bool = False


def survey(folder: Path, instead: Instead = (), *, gradients: bool = False) -> dict[str, Any]:
    """Return the damage that the test notices, and the damage that it misses.

    instead: cases whose inputs are too large, with a smaller case for each, or None.
    gradients: whether the entry declares gradients.
    """
    plugin, outcomes = Survey(instead, gradients=gradients), Outcomes()
    run_pytest(folder, plugin, outcomes)
    failed = {"type": "pytest", "text": outcomes.complaint[-500:]} if outcomes.failed else None
    return {
        "tests": plugin.tests + outcomes.skipped,
        "skipped": plugin.skipped + outcomes.skipped,
        "control": plugin.control or failed,
        "called": plugin.called,
        **plugin.verdicts(),
    }


class Survey:
    """pytest plugin that runs each test with the undamaged reference, then with each damage.

    control: why a test fails with the undamaged reference.
    noticed: for each damage that changed an answer, whether a test noticed it. Large and small
    answers count separately: a test of one element may notice damage that other tests miss.
    """

    def __init__(self, instead: Instead = (), *, gradients: bool = False) -> None:
        self.instead = instead
        self.gradients = gradients
        self.tests = self.skipped = 0
        self.called = False
        self.control: dict[str, str] | None = None
        self.harms = {name: Harm(damage) for name, damage in DAMAGES.items()}
        if gradients:
            self.harms[NO_GRADIENTS] = Harm(zeros, of_gradients=True)
            self.harms["small relative error in the gradients"] = Harm(relative, of_gradients=True)
        self.noticed: dict[tuple[str, bool], bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool:
        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        for name, value in arguments.items():
            for case, smaller in self.instead:
                if isinstance(value, dict) and value == case:
                    if smaller is None:
                        return True
                    arguments[name] = dict(smaller)
        self.tests += 1
        if self._passes("control", None, pyfuncitem.obj, arguments):
            for name, harm in self.harms.items():
                if not self.noticed.get((name, True)):
                    self._passes(name, harm, pyfuncitem.obj, arguments)
        return True

    def _undamaged(self, reference: Callable[..., Any], given: Any, named: Any) -> Any:
        """Return the undamaged answer, and add a harm for each single output and gradient: damage
        to all of them would not reveal a test that checks only one."""
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

    def _passes(
        self, name: str, harm: Harm | None, test: Callable[..., Any], named: dict[str, Any]
    ) -> bool:
        """Run the test with this harm, and return whether it passes."""
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
                self.noticed[name, damaged.large] = True
            return False
        if damaged and damaged.changed:
            self.noticed.setdefault((name, damaged.large), False)
        return True

    def verdicts(self) -> dict[str, list[str]]:
        by_effect: dict[str, list[str]] = {"noticed": [], "unnoticed": [], "without_effect": []}
        for name in self.harms:
            # Prefer the result for a large answer, because its test is stronger evidence.
            noticed = self.noticed.get((name, True), self.noticed.get((name, False)))
            effects = {None: "without_effect", True: "noticed", False: "unnoticed"}
            by_effect[effects[noticed]].append(name)
        if self.called and NO_GRADIENTS in by_effect["without_effect"]:
            # No test computes gradients, so their damage was missed.
            by_effect["without_effect"].remove(NO_GRADIENTS)
            by_effect["unnoticed"].append(NO_GRADIENTS)
        return by_effect


class Damaged:
    """The reference with one harm, for one run of a test.

    changed: whether the harm changed anything.
    large: whether it changed a large answer.
    unable: whether damaging itself raised an error.
    """

    def __init__(self, harm: Harm) -> None:
        self.harm = harm
        self.changed = self.large = self.unable = False

    def __call__(self, reference: Callable[..., Any], given: Any, named: Any) -> Any:
        if not self.harm.of_gradients:
            before = Before(given, named)
            return self._answer(reference(*given, **named), given, before)
        with self._noting_errors():
            given, named = self._with_damaged_gradients((given, named))
        return reference(*given, **named)

    def _answer(self, answer: Any, given: Any, before: "Before") -> Any:
        is_meant = self._meant_places()

        def tensor_damaged(tensor: torch.Tensor) -> torch.Tensor:
            # A tensor without elements has nothing to damage.
            return self.harm.damage(tensor, given) if is_meant() and tensor.numel() else tensor

        def number_damaged(plain: Any) -> Any:
            if (tensor := as_tensor(plain)) is None:
                return plain
            if self.harm.damage is relative and type(plain) is float:
                # The number may have been computed in half precision.
                return plain * (1 + RELATIVE_HALF)
            after = tensor_damaged(tensor)
            # Damage by another type does not apply to a number.
            return type(plain)(after.item()) if after.dtype is tensor.dtype else plain

        damaged = self._done(answer, lambda: rebuilt(answer, tensor_damaged, number_damaged))
        for tensor in before.written():
            if is_meant():
                content = tensor.detach().clone()
                after = self._done(content, lambda it=content: self._same_type(it, before))  # type: ignore[misc]
                with torch.no_grad():
                    tensor.copy_(after)
        return damaged

    def _same_type(self, content: torch.Tensor, before: "Before") -> torch.Tensor:
        """Return the damaged content in its old type, as a write can't change an input's type."""
        return self.harm.damage(content.clone(), before.tensors).to(content.dtype)

    def _with_damaged_gradients(self, given: Any) -> Any:
        is_meant = self._meant_places()

        def gradient_damaged(gradient: torch.Tensor) -> Any:
            return self._done(gradient, lambda: self.harm.damage(gradient, ()))

        def through(tensor: torch.Tensor) -> Any:
            if is_meant() and tensor.requires_grad:
                return WithGradientChanged.apply(tensor, gradient_damaged)  # type: ignore[no-untyped-call]
            return tensor

        return rebuilt(given, through)

    def _meant_places(self) -> Callable[[], bool]:
        """Return a function that returns, for one part after another, whether to damage it."""
        places = count()
        return lambda: self.harm.place is None or self.harm.place == next(places)

    @contextmanager
    def _noting_errors(self) -> Iterator[None]:
        """Record an error of the damaging code. A test that fails for it did not notice damage."""
        try:
            yield
        except Exception:
            self.unable = True
            raise

    def _done(self, before: Any, damage: Callable[[], Any]) -> Any:
        with self._noting_errors():
            after = damage()
            self.changed = self.changed or differ(before, after)
        self.large = self.large or any(tensor.numel() >= LARGE for tensor in tensors_in(before))
        return after


class Before:
    """Copies of a call's arguments, made before the call."""

    def __init__(self, given: Any, named: Any) -> None:
        self._now = tensors_in((given, named))
        self.tensors = tuple(tensor.detach().clone() for tensor in self._now)

    def written(self) -> list[torch.Tensor]:
        """Return the arguments that the call wrote to."""
        pairs = zip(self._now, self.tensors, strict=True)
        return [now for now, before in pairs if differ(before, now.detach())]


class WithGradientChanged(torch.autograd.Function):
    """Identity function whose backward pass changes the gradient."""

    @staticmethod
    def forward(given: torch.Tensor, change: Change) -> torch.Tensor:
        return given.view_as(given)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.change = inputs[1]

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[Any, None]:
        return ctx.change(gradient), None
