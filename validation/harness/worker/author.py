"""Worker role that runs test_code with the reference, without triton_code: it returns the entry's
cases and inputs, and whether the test can fail at all (see `damage`)."""

import json
from typing import Any

import torch

from validation.harness.pool.channel import Blob
from validation.harness.worker import damage, folder, gpu
from validation.harness.worker.folder import described
from validation.harness.worker.properties import common_properties
from validation.harness.worker.values import Packing, name_of, no_tensors, plain_case, tensors_in
from validation.harness.worker.variants import make_variant

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
        texts = {name: order[name] for name in ("python_code", "test_code")}
        texts["triton_code"] = STAND_IN.format(point=order["entry_point"])
        self.folder = folder.lay_out(texts)
        self.test: Any = None
        self._made_case = ""
        self._made_inputs: Any = ()

    def cases(self, _: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with the constants of test_code."""
        try:
            self.test = folder.load("test_code")
            return {
                "cases": [no_tensors(dict(case)) for case in self.test.CASES],
                "perf_cases": _perf_cases(getattr(self.test, "PERF_CASES", None)),
                "fixed": [str(name) for name in getattr(self.test, "FIXED", ())],
                "sizes": _sizes(getattr(self.test, "SIZES", None)),
                "tolerance": tolerance(getattr(self.test, "TOLERANCE", None)),
            }, []
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []

    def inputs(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with inputs, made on the CPU for every device, so that all get the same bytes.

        For inputs larger than `most`, or than what is left of `altogether`, return only the size.
        """
        packing = Packing()
        made: list[dict[str, Any]] = []
        left = order["altogether"]
        for wanted in order["wanted"]:
            most = min(order["most"], left)
            try:
                if wanted["foretell"] and (size := self._foretold_bytes(wanted["case"])) > most:
                    made.append({"bytes": size})
                    continue
                first = self._inputs(wanted["case"], anew=wanted["variant"] is None)
                with torch.no_grad():
                    arguments = make_variant(first, wanted["variant"])
                for tensor, given in zip(*map(tensors_in, (arguments, first)), strict=True):
                    tensor.requires_grad_(given.requires_grad)
                size = _bytes(arguments)
                if size > most:
                    self._made_case, self._made_inputs = "", ()
                    made.append({"bytes": size})
                    continue
                made.append({"arguments": packing.inputs(arguments), "bytes": size})
                left -= size
            except BaseException as error:  # noqa: BLE001 - as above
                made.append({"error": described(error)})
        return {"made": made}, packing.blobs

    def properties(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with properties that the inputs of all these cases share."""
        try:
            made = [self._inputs(case, anew=True) for case in order["cases"]]
            shown = [list(one.values()) if isinstance(one, dict) else one for one in made]
            return {"properties": common_properties(shown)}, []
        except BaseException as error:  # noqa: BLE001 - as above
            return {"error": described(error)}, []

    def _inputs(self, case: Any, *, anew: bool) -> Any:
        """Return the case's inputs: a tuple, or a dictionary by parameter name.

        Variants of a case reuse its inputs, unless `anew`. Making large inputs takes seconds.
        """
        key = json.dumps(case, sort_keys=True)
        if anew or self._made_case != key:
            made = self.test.make_inputs(plain_case(case), "cpu")
            self._made_case = key
            self._made_inputs = made if isinstance(made, dict) else tuple(made)
        return self._made_inputs

    def _foretold_bytes(self, case: Any) -> int:
        """Return the size of a case's inputs, computed without making them, or 0 if that fails."""
        try:
            with torch.device("meta"):
                return _bytes(self.test.make_inputs(plain_case(case), "meta"))
        except BaseException:  # noqa: BLE001 - then it is made
            return 0

    def damage(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Answer with the damage that the test notices and misses.

        instead: cases that are too large, each with a smaller one or None.
        gradients: whether the entry declares gradients.
        """
        instead = [
            (plain_case(case), other and plain_case(other)) for case, other in order["instead"]
        ]
        return damage.survey(self.folder, instead, gradients=order["gradients"]), []


# These constants are optional, and their malformed parts are ignored.


def _perf_cases(given: Any) -> list[Any]:
    cases = given if isinstance(given, list | tuple) else ()
    return [no_tensors(case) for case in cases if isinstance(case, dict)]


def _sizes(given: Any) -> dict[str, Any]:
    table = given if isinstance(given, dict) else {}
    return {
        str(key): dict(allowed) if isinstance(allowed, dict) else list(allowed)
        for key, allowed in table.items()
        if isinstance(allowed, list | tuple | range | dict)
    }


def tolerance(given: Any) -> dict[str, list[float]]:
    table = given if isinstance(given, dict) else {}
    return {
        name_of(dtype): [float(pair[0]), float(pair[1])]
        for dtype, pair in table.items()
        if isinstance(dtype, torch.dtype) and isinstance(pair, tuple | list) and len(pair) == 2
    }


def _bytes(arguments: Any) -> int:
    storages = [tensor.untyped_storage() for tensor in tensors_in(arguments)]
    return sum({storage._cdata: storage.nbytes() for storage in storages}.values())
