"""Checkers by device. A new device is one more line here."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import Device, Kernel, Pair
from validation.compiling import compilable, open_compiler
from validation.equivalence import checkable, in_the_interpreter, on_cuda
from validation.findings import OpenChecker


class NoChecker(CurationError):
    """No checker of this host supports the device."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Checker of one device.

    `eligible` returns the items that the scheduler may check. A run has `batch` of them: enough
    to make a worker's start cheap, few enough to share.
    """

    model: type[Kernel] | type[Pair]
    eligible: Callable[[], QuerySet[Any]]
    open: Callable[[Mapping[str, Any]], AbstractContextManager[OpenChecker]]
    batch: int = 100


CHECKERS: dict[Device, Checker] = {
    # Its start takes as long as fifty pairs.
    Device.CUDA: Checker(model=Pair, eligible=checkable, open=on_cuda, batch=400),
    Device.INTERPRETER: Checker(model=Pair, eligible=checkable, open=in_the_interpreter),
    Device.COMPILER: Checker(model=Kernel, eligible=compilable, open=open_compiler),
}


def checker_for(device: str) -> Checker:
    checker = CHECKERS.get(Device(device))
    if checker is None:
        able = ", ".join(CHECKERS)
        raise NoChecker(f"Nothing here checks on the device “{device}”. What can: {able}.")
    return checker
