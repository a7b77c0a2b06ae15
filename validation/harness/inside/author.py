"""The process that runs test_code beside the reference, with no candidate in it: the entry's
cases, its inputs, and whether its test can fail at all (see `damage`)."""

from typing import Any

import torch

from validation.harness.channel import Blob
from validation.harness.inside import damage, folder, gpu
from validation.harness.inside.complaint import described
from validation.harness.inside.twist import twisted
from validation.harness.inside.values import Packing, no_tensors, plain_values

Blobs = list[memoryview]

STAND_IN = """\
import python_code as _python_code
from python_code import *


def __getattr__(name):
    return getattr(_python_code, name)


def {point}(*arguments, **named):
    return _damaged(getattr(_python_code, {point!r})(*arguments, **named), arguments)


def _damaged(answer, arguments):
    return answer
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

    def cases(self, _: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        try:
            self.test = folder.load("test_code")
            shown = list(self.test.CASES)
            answer = {
                "cases": [no_tensors(dict(case))["dict"] for case in shown],
                "fixed": [str(name) for name in getattr(self.test, "FIXED", ())],
            }
        except BaseException as error:  # noqa: BLE001 - SystemExit too is the entry's answer
            return {"error": described(error)}, []
        return answer, []

    def inputs(self, order: dict[str, Any], _: Blobs) -> tuple[Any, list[Blob]]:
        """Made on the CPU, whatever the device: both sides then get the same bytes."""
        packing = Packing()
        made = []
        for wanted in order["wanted"]:
            try:
                case = plain_values({"dict": wanted["case"]})
                arguments = self.test.make_inputs(case, "cpu")
                if not isinstance(arguments, tuple):
                    arguments = tuple(arguments)
                with torch.no_grad():
                    arguments = twisted(arguments, wanted["twist"])
                made.append({"arguments": packing.inputs(arguments)})
            except BaseException as error:  # noqa: BLE001 - as above
                made.append({"error": described(error)})
        return {"made": made}, packing.blobs

    def damage(self, _: dict[str, Any], __: Blobs) -> tuple[Any, list[Blob]]:
        return damage.survey(self.folder), []
