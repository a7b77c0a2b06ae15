"""Can the entry's test fail? It is run against the reference itself, damaged in known ways.

One pytest session: where pytest would call a test once, it is called once for each damage that no
test has noticed yet. The damaged answers stay in the graph of gradients, so that a test of
gradients is not red merely for their absence.
"""

import sys
from collections.abc import Callable, Sequence
from copy import copy
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import torch

from validation.harness.inside.complaint import described
from validation.harness.inside.session import run_pytest
from validation.harness.inside.values import rebuilt, tensors_in

Change = Callable[[torch.Tensor], torch.Tensor]
Damage = Callable[[torch.Tensor, tuple[Any, ...]], torch.Tensor]
# Which of several outputs is damaged; None: all of them.
Place = int | None

# Far beyond rounding, and beyond any tolerance that fits the type.
RELATIVE = {
    torch.float64: 1e-2, torch.float32: 2e-2, torch.float8_e4m3fn: 0.5, torch.float8_e5m2: 1.0,
}  # fmt: skip
RELATIVE_HALF = 0.1
# What torch keeps but hardly computes in, and where it does so in its place.
WIDER = {
    torch.float8_e4m3fn: torch.float32, torch.float8_e5m2: torch.float32,
    torch.uint16: torch.int64, torch.uint32: torch.int64, torch.uint64: torch.int64,
}  # fmt: skip
LARGE = 16
# Of more outputs than this the others are damaged only with all the rest.
DAMAGED_ALONE = 16
# A number of Python's is damaged as if it were a tensor.
NUMBERS: dict[type, torch.dtype] = {
    bool: torch.bool, int: torch.int64, float: torch.float64, complex: torch.complex128,
}  # fmt: skip
OTHER_TYPE = {
    torch.float64: torch.float32,
    torch.int64: torch.int32,
    torch.bool: torch.uint8,
    torch.complex128: torch.complex64,
    torch.complex64: torch.complex128,
}


Instead = Sequence[tuple[dict[str, Any], "dict[str, Any] | None"]]


def survey(folder: Path, instead: Instead = ()) -> dict[str, Any]:
    """`instead`: cases whose inputs are too large for this, with what stands in for them."""
    plugin = Survey(instead)
    run_pytest(folder, plugin)
    return {
        "tests": plugin.tests,
        "skipped": plugin.skipped,
        "control": plugin.control,
        "called": plugin.called,
        **plugin.verdicts(),
    }


class Survey:
    def __init__(self, instead: Instead = ()) -> None:
        self.instead = instead
        self.tests = 0
        self.skipped = 0
        self.called = False
        self.control: dict[str, str] | None = None
        self.damages: dict[str, tuple[Damage, Place]] = {
            name: (damage, None) for name, damage in DAMAGES.items()
        }
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
        if not self._green("control", None, None, pyfuncitem.obj, arguments):
            return True
        for name, (damage, place) in self.damages.items():
            if name not in self.caught[True]:
                self._green(name, damage, place, pyfuncitem.obj, arguments)
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

    def _each_alone(self, answer: Any) -> None:
        """All damaged at once tell nothing of a test that looks at one output only."""
        outputs = len(_leaves(answer))
        if outputs > 1:
            for place in range(min(outputs, DAMAGED_ALONE)):
                self.damages[f"all zeros in output {place + 1} alone"] = (_zeros, place)

    def _green(
        self,
        name: str,
        damage: Damage | None,
        place: Place,
        test: Callable[..., Any],
        named: dict[str, Any],
    ) -> bool:
        changed = large = unable = False

        def damaged(answer: Any, arguments: tuple[Any, ...]) -> Any:
            nonlocal changed, large, unable
            self.called = True
            if damage is None:
                self._each_alone(answer)
                return answer
            places = count()

            def spoilt(tensor: torch.Tensor) -> torch.Tensor:
                here = place is None or place == next(places)
                return damage(tensor, arguments) if here else tensor

            def spoilt_number(plain: Any) -> Any:
                if (tensor := _as_tensor(plain)) is None:
                    return plain
                if damage is _relative and type(plain) is float:
                    # Whatever type it was computed in.
                    return plain * (1 + RELATIVE_HALF)
                after = spoilt(tensor)
                # It has no other type to be of.
                return type(plain)(after.item()) if after.dtype is tensor.dtype else plain

            try:
                after = _rebuilt(answer, spoilt, spoilt_number)
                changed = changed or _differ(answer, after)
            except Exception:
                # That we can't damage something is not what a test notices.
                unable = True
                raise
            large = large or any(t.numel() >= LARGE for t in tensors_in(answer))
            return after

        sys.modules["triton_code"]._damaged = damaged  # type: ignore[attr-defined]
        try:
            test(**named)
        except pytest.skip.Exception:
            self.skipped += 1
            return False
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:  # noqa: BLE001 - pytest's own failures among them
            if damage is None:
                self.control = self.control or described(error)
            elif not unable:
                self.caught[large].add(name)
                self.effective[large].add(name)
            return False
        if changed:
            self.effective[large].add(name)
        return True

    def verdicts(self) -> dict[str, list[str]]:
        noticed: list[str] = []
        unnoticed: list[str] = []
        for name in self.damages:
            for large in (True, False):
                if name in self.effective[large]:
                    (noticed if name in self.caught[large] else unnoticed).append(name)
                    break
        return {
            "noticed": noticed,
            "unnoticed": unnoticed,
            "without_effect": [n for n in self.damages if n not in (*noticed, *unnoticed)],
        }


def _rebuilt(answer: Any, change: Change, plain: Callable[[Any], Any]) -> Any:
    """As `rebuilt`, of the kinds that they were: a test may ask for `.values`."""
    if isinstance(answer, list | tuple):
        parts = [_rebuilt(part, change, plain) for part in answer]
        kind: Any = type(answer)
        return kind(*parts) if hasattr(kind, "_fields") else kind(parts)
    if isinstance(answer, dict):
        copied = copy(answer)
        copied.update({name: _rebuilt(part, change, plain) for name, part in answer.items()})
        return copied
    return rebuilt(answer, change, plain)


def _as_tensor(plain: Any) -> torch.Tensor | None:
    """A number that a tensor can hold."""
    kind = type(plain)
    if kind not in NUMBERS or (kind is int and not -(2**63) <= plain < 2**63):
        return None
    return torch.tensor(plain, dtype=NUMBERS[kind])


def _leaves(answer: Any) -> list[torch.Tensor]:
    return tensors_in(rebuilt(answer, lambda tensor: tensor, _as_tensor))


def _differ(one: Any, other: Any) -> bool:
    return any(
        before.dtype != after.dtype
        or before.shape != after.shape
        or not torch.equal(_without_nan(before), _without_nan(after))
        for before, after in zip(_leaves(one), _leaves(other), strict=True)
    )


def _without_nan(tensor: torch.Tensor) -> torch.Tensor:
    plain = _wide(tensor)
    return plain.nan_to_num() if plain.is_floating_point() else plain


def _wide(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(WIDER.get(tensor.dtype, tensor.dtype))


def _zeros(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    plain = _wide(answer)
    nothing = plain & ~plain if plain.dtype is torch.bool else plain * 0
    everywhere = torch.ones_like(plain, dtype=torch.bool)
    return torch.where(everywhere, nothing, plain).to(answer.dtype)


def _identity(answer: torch.Tensor, arguments: tuple[Any, ...]) -> torch.Tensor:
    for given in tensors_in(arguments):
        if given.shape == answer.shape and given.dtype == answer.dtype:
            return given + answer * 0 if answer.requires_grad else given.clone()
    return answer


def _last_block(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    plain = _wide(answer)
    size = plain.numel()
    kept = torch.arange(size, device=plain.device) < size - max(1, min(1024, size // 4))
    return (plain * kept.reshape(plain.shape).to(plain.dtype)).to(answer.dtype)


def _moved(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    return answer.reshape(-1).roll(1).reshape(answer.shape)


def _relative(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    if not (answer.is_floating_point() or answer.is_complex()):
        return answer
    factor = 1 + RELATIVE.get(answer.dtype, RELATIVE_HALF)
    return (_wide(answer) * factor).to(answer.dtype)


def _other_type(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    wider = torch.float64 if answer.is_floating_point() else torch.int64
    return answer.to(OTHER_TYPE.get(answer.dtype, wider))


def _one_element(answer: torch.Tensor, _: tuple[Any, ...]) -> torch.Tensor:
    """The last one, by more than the largest; what has no sign by half of what its type holds."""
    if not answer.numel():
        return answer
    last = torch.arange(answer.numel(), device=answer.device) == answer.numel() - 1
    last = last.reshape(answer.shape)
    if answer.dtype is torch.bool:
        return answer ^ last
    plain = _wide(answer)
    if (
        not (answer.is_floating_point() or answer.is_complex())
        and not torch.iinfo(answer.dtype).min
    ):
        # Added, as much as the largest could lead once around.
        half = torch.iinfo(answer.dtype).max // 2 + 1
        return (plain ^ (last.to(plain.dtype) * half)).to(answer.dtype)
    seen = plain.detach()
    size = seen.abs() if seen.is_complex() else seen.double().nan_to_num(0.0, 0.0, 0.0).abs()
    return (plain + last.to(plain.dtype) * (size.max() + 1).to(plain.dtype)).to(answer.dtype)


DAMAGES: dict[str, Damage] = {
    "all zeros": _zeros,
    "the input handed back": _identity,
    "last block dropped": _last_block,
    "moved by one element": _moved,
    "one element wrong": _one_element,
    "small relative error": _relative,
    "another type": _other_type,
}
