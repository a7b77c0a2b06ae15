"""Values that each line of a kernel computes for one program of its grid, from a child process.

The child runs all three texts of the entry. It gives no verdict: a person reads the values. If the
answer is wrong, it looks for a small change of a kernel that makes every case right.
"""

import ast
import signal
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch

from validation.harness.judge.practical import SHARES
from validation.harness.line_values.changes import Change, changes
from validation.harness.line_values.watched import Address, Watched
from validation.harness.plan.arguments import declare_gradients, tensors
from validation.harness.pool.channel import Blob
from validation.harness.recorder.tracer import replace_gpu
from validation.harness.worker import folder
from validation.harness.worker.author import tolerance
from validation.harness.worker.folder import described
from validation.harness.worker.gradients import gradients, make_leaves
from validation.harness.worker.rounding import Wide
from validation.harness.worker.values import Packing, Placing, call, name_of, rebuilt, tensors_in
from validation.harness.worker.variants import make_variant

# CPU seconds of the search, and the factor by which a changed kernel may be slower.
SEARCH_SECONDS, SLOWER = 4.5, 3
RUN_SECONDS, CASES_MOST = 60.0, 6
NOTHING = np.empty(0, np.uint64)
Tensors = list[torch.Tensor]


class WatchTooSlow(BaseException):
    """A run reached its time limit. Not a subclass of Exception, which would be wrapped."""


class LineValues:
    def __init__(self, order: dict[str, Any]) -> None:
        folder.lay_out({name: order[name] for name in folder.NAMES})
        self._point, self._seed = order["entry_point"], order["seed"]
        self._gradients = order["gradients"]
        nodes = ast.walk(ast.parse(order["triton_code"]))
        self._functions = {node.name: node for node in nodes if isinstance(node, ast.FunctionDef)}
        self._watched = Watched(self._functions)
        replace_gpu()
        signal.signal(signal.SIGALRM, _stop)

    def values(self, order: dict[str, Any], _: list[memoryview]) -> tuple[Any, list[Blob]]:
        """Answer with the values of each line, and a change that fixes the answer, if found."""
        try:
            test, triton_code = map(folder.load, ("test_code", "triton_code"))
            self._launcher = folder.function(triton_code, self._point)
            cases = [dict(case) for case in test.CASES]
            if not 0 <= order["place"] < len(cases):
                raise LookupError(f"the test has {len(cases)} cases, from 0 on")
            case = cases[order["place"]] | order["instead"]
            example = self._example(test, case, order["variant"])
        except BaseException as raised:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(raised)}, []
        watched, began = self._watched, time.perf_counter()
        wrong, error = self._run(example)
        limit = SLOWER * (time.perf_counter() - began) + 0.1
        line, at = watched.line, watched.at
        if not error:
            writers = watched.stores.items()
            at = next((at for at, stores in writers if _wrote(stores, wrong).any()), (0, (0, 0, 0)))
        watched.begin(program=tuple(order["program"] or at[1]))
        self._call(example)
        answer: dict[str, Any] = {
            "kernels": [{"name": name, **where} for name, where in watched.kernels.items()],
            "lines": [
                [line, noted.count, noted.runs, int(noted.lanes), int(noted.masked)]
                for line, noted in sorted(watched.lines.items())
            ],
            "parts": [[function.lineno, _end(function)] for function in self._seen()],
            "wrong": int(wrong.size), "first": list(at[1]),
        }  # fmt: skip
        if error:
            answer["raised"] = {**error, "line": line}
        if watched.kernels and (error or wrong.size):
            answer["search"] = self._search(test, cases[:CASES_MOST], example, at, limit)
        return answer, []

    def _seen(self) -> list[ast.FunctionDef]:
        """Return the kernels and helper functions whose lines are watched."""
        return [
            function
            for function in self._functions.values()
            if any(function.lineno <= line <= _end(function) for line in self._watched.lines)
        ]

    def _search(
        self, test: Any, cases: list[Any], example: "WatchedExample", at: Address, limit: float
    ) -> dict[str, Any]:
        """Return the first change of one line that makes all cases right.

        at: a program with a wrong element. Most changes are tried only on it, in milliseconds.
        """
        began, tried = time.process_time(), 0
        self._watched.begin(program=at[1], only=at)
        self._call(example)
        examples: list[WatchedExample] = []
        made = [change for function in self._seen() for change in changes(function)]
        for change in made:
            if time.process_time() - began > SEARCH_SECONDS:
                break
            tried += 1
            if not self._is_right(example, change, limit, at):
                continue
            if self._is_right(example, change, limit):
                examples = examples or [self._example(test, case, None) for case in cases]
                if all(self._is_right(other, change, RUN_SECONDS) for other in examples):
                    before, after = map(ast.unparse, change)
                    found = {"line": change[0].lineno, "before": before, "after": after}
                    return {"tried": tried, "of": len(made), "found": found}
        return {"tried": tried, "of": len(made)}

    def _is_right(
        self, example: "WatchedExample", change: Change, limit: float, only: Address | None = None
    ) -> bool:
        wrong, error = self._run(example, limit, only, change)
        return not error and not wrong.size

    def _run(
        self, example: "WatchedExample", limit: float = RUN_SECONDS, only: Address | None = None,
        change: Change | None = None,
    ) -> tuple[Any, Any]:  # fmt: skip
        """Run a case. Return the addresses of wrong elements, and the exception if one was raised.

        only: run this program alone, and ignore elements that it does not write.
        """
        self._watched.begin(only=only, change=change)
        outputs, error = self._call(example, limit, only)
        if error:
            return NOTHING, error
        native = example.native if only is None else example.native[: len(outputs)]
        if list(map(_layout, outputs)) != list(map(_layout, native)):
            return NOTHING, {"type": "", "text": "its outputs have other types or shapes"}
        wrong = np.concatenate([NOTHING, *map(_wrong, outputs, example.precise, example.allowed)])
        if only is not None:
            wrong = wrong[_wrote(self._watched.stores.get(only, []), wrong)]
        return wrong, None

    def _call(
        self, example: "WatchedExample", limit: float = RUN_SECONDS, only: Address | None = None
    ) -> tuple[Tensors, Any]:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            return self._outputs(self._launcher, example.arguments(), only), None
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return [], described(error.__cause__ or error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _outputs(self, function: Any, arguments: Any, only: Address | None = None) -> Tensors:
        """Return the answer, the inputs, and the gradients unless `only`'s launch has been run."""
        torch.manual_seed(self._seed)
        answer = call(function, arguments)
        inputs = tensors_in(arguments)
        made = [*tensors_in(answer), *inputs]
        is_done = only is not None and self._watched.at[0] >= only[0]
        if any(tensor.requires_grad for tensor in inputs) and not is_done:
            computed = gradients(arguments, answer, self._seed, expanded=False)
            made += [tensor for tensor in computed if tensor is not None]
        return made

    def _example(self, test: Any, case: dict[str, Any], variant: Any) -> "WatchedExample":
        """Return the inputs of a case with the reference's answers."""
        inputs = test.make_inputs(dict(case), "cpu")
        inputs = make_variant(inputs if isinstance(inputs, dict) else tuple(inputs), variant)
        packing = Packing()
        tree = packing.inputs(inputs)
        if self._gradients:
            declare_gradients(list(tensors(tree)))
        example = WatchedExample(
            tree, [memoryview(blob) for blob in packing.blobs], self._gradients
        )
        reference = folder.function(folder.load("python_code"), self._point)
        example.native = example.precise = self._outputs(reference, example.arguments())
        # Some references can't answer in float64.
        with suppress(Exception), Wide():
            example.precise = self._outputs(reference, example.arguments(wide=True))
        own = tolerance(getattr(test, "TOLERANCE", None)).get(str(case.get("dtype", "")))
        for tensor in example.native:
            share = SHARES.get(name_of(tensor.dtype), 0.0)
            example.allowed.append(tuple(own or (share, share)))
        return example


@dataclass(slots=True)
class WatchedExample:
    """Inputs of a case with the reference's answers: at the type, and in float64."""

    tree: Any
    blobs: list[memoryview]
    has_gradients: bool
    native: Tensors = field(default_factory=list)
    precise: Tensors = field(default_factory=list)
    allowed: list[tuple[float, ...]] = field(default_factory=list)
    """Relative and absolute tolerance for each tensor."""

    def arguments(self, *, wide: bool = False) -> Any:
        """Return fresh copies of the inputs, in float64 if `wide`."""
        made = Placing(self.blobs, torch.device("cpu")).arguments(self.tree)
        if wide:
            made = rebuilt(made, lambda one: one.double() if one.is_floating_point() else one)
        return make_leaves(made, self.tree) if self.has_gradients else made


def _wrong(actual: torch.Tensor, wanted: torch.Tensor, allowed: tuple[float, ...]) -> Any:
    """Return the addresses of the wrong elements."""
    wide = torch.complex128 if actual.is_complex() else torch.float64
    both = actual.detach().to(wide), wanted.detach().to(wide)
    close = torch.isclose(*both, rtol=allowed[0], atol=allowed[1], equal_nan=True)
    places = torch.arange(actual.untyped_storage().nbytes() // actual.element_size())
    offsets = places.as_strided(actual.shape, actual.stride())[~close] * actual.element_size()
    return (offsets + actual.data_ptr()).numpy().astype(np.uint64)


def _wrote(stores: list[Any], addresses: Any) -> Any:
    return np.isin(addresses, np.concatenate([NOTHING, *map(np.ravel, stores)]))


def _layout(tensor: torch.Tensor) -> Any:
    return tensor.dtype, tensor.shape


def _end(function: ast.FunctionDef) -> int:
    return function.end_lineno or function.lineno


def _stop(*_: Any) -> None:
    raise WatchTooSlow
