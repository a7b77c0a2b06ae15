"""The process that runs test_code beside the reference, without triton_code: the entry's cases,
its inputs, and whether its test can fail at all (see `damage`)."""

import json
from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import damage, folder, gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.habits import habits
from validation.harness.inside.twist import twisted
from validation.harness.inside.values import Packing, name_of, no_tensors, plain_values, tensors_in

Blobs = list[memoryview]

STAND_IN = """\
import python_code as _python_code
from python_code import *


def __getattr__(name):
    return getattr(_python_code, name)


def {point}(*arguments, **named):
    return _called(getattr(_python_code, {point!r}), arguments, named)


def _called(reference, arguments, named):
    return reference(*arguments, **named)
"""


class Author:
    def __init__(self, order: dict[str, Any]) -> None:
        gpu.begin(order)
        self.point = order["entry_point"]
        self.folder = folder.lay_out(
            {
                "python_code": order["python_code"],
                "test_code": order["test_code"],
                "triton_code": STAND_IN.format(point=self.point),
            }
        )
        self.test: Any = None
        self._kept: tuple[str, Any] = ("", None)

    def cases(self, _: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        try:
            self.test = folder.load("test_code")
            shown = list(self.test.CASES)
            answer = {
                "cases": [no_tensors(dict(case))["dict"] for case in shown],
                "perf_cases": _dictionaries(getattr(self.test, "PERF_CASES", None)),
                "fixed": [str(name) for name in getattr(self.test, "FIXED", ())],
                "sizes": _sizes(getattr(self.test, "SIZES", None)),
                "tolerance": _tolerance(getattr(self.test, "TOLERANCE", None)),
            }
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return answer, []

    def inputs(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Made on the CPU, whatever the device: both sides then get the same bytes. Of what takes
        more than `most`, or than is left of `altogether`, only how many bytes it takes."""
        packing = Packing()
        made: list[dict[str, Any]] = []
        left = order["altogether"]
        for wanted in order["wanted"]:
            most = min(order["most"], left)
            try:
                if wanted["foretell"] and (told := self._foretold(wanted["case"])) > most:
                    made.append({"bytes": told})
                    continue
                arguments = self._made(wanted["case"], again=wanted["twist"] is None)
                with torch.no_grad():
                    arguments = twisted(arguments, wanted["twist"])
                taken = _bytes(arguments)
                if taken > most:
                    self._kept = ("", None)
                    made.append({"bytes": taken})
                    continue
                made.append({"arguments": packing.inputs(arguments), "bytes": taken})
                left -= taken
            except BaseException as error:  # noqa: BLE001 - as above
                made.append({"error": described(error)})
        return {"made": made}, packing.blobs

    def habits(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with what the inputs of all these cases have in common."""
        try:
            shown = [self._made(case, again=True) for case in order["cases"]]
            found = habits(shown)
        except BaseException as error:  # noqa: BLE001 - as above
            return {"error": described(error)}, []
        return {"habits": found}, []

    def _made(self, case: Any, *, again: bool) -> tuple[Any, ...]:
        """Twisted in several ways, a case is made only once: what is large takes seconds."""
        key = json.dumps(case, sort_keys=True)
        if again or self._kept[0] != key:
            arguments = self.test.make_inputs(plain_values({"dict": case}), "cpu")
            self._kept = (key, arguments if isinstance(arguments, tuple) else tuple(arguments))
        return tuple(self._kept[1])

    def _foretold(self, case: Any) -> int:
        """The bytes of a case's inputs, without making them; 0 where that can't be told."""
        try:
            with torch.device("meta"):
                return _bytes(self.test.make_inputs(plain_values({"dict": case}), "meta"))
        except BaseException:  # noqa: BLE001 - then it is made
            return 0

    def damage(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """`instead`: cases that are too large, each with the one that stands in for it, if any;
        `gradients`: whether the entry declares them."""
        instead = [
            (plain_values({"dict": case}), other and plain_values({"dict": other}))
            for case, other in order["instead"]
        ]
        return damage.survey(self.folder, instead, gradients=order["gradients"]), []


def _dictionaries(given: Any) -> list[Any]:
    """Return PERF_CASES as JSON, as far as it is a list of dictionaries."""
    if not isinstance(given, list | tuple):
        return []
    return [no_tensors(case)["dict"] for case in given if isinstance(case, dict)]


def _sizes(given: Any) -> Any:
    """Return SIZES as JSON, as far as it is a table of lists and of bounds."""
    if not isinstance(given, dict):
        return {}
    return {
        str(key): list(allowed) if isinstance(allowed, list | tuple | range) else dict(allowed)
        for key, allowed in given.items()
        if isinstance(allowed, list | tuple | range | dict)
    }


def _tolerance(given: Any) -> dict[str, list[float]]:
    """Return the entry's tolerance by type, as far as it is a table of pairs of numbers."""
    if not isinstance(given, dict):
        return {}
    return {
        name_of(dtype): [float(pair[0]), float(pair[1])]
        for dtype, pair in given.items()
        if isinstance(dtype, torch.dtype) and isinstance(pair, tuple | list) and len(pair) == 2
    }


def _bytes(arguments: Any) -> int:
    storages = [tensor.untyped_storage() for tensor in tensors_in(arguments)]
    return sum({storage._cdata: storage.nbytes() for storage in storages}.values())
