"""Checkers by device. To add a device, add a line here."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from curation.errors import CurationError
from curation.models import Device, Kernel, Kind, Language, Pair, Status
from validation.findings import OpenChecker


class NoChecker(CurationError):
    """No checker of this host supports the device."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Checker for one device.

    `eligible` returns the items that the scheduler may check. A run has up to `batch` of them:
    enough that a worker's start costs little, few enough that several workers can share the items.
    """

    model: type[Kernel] | type[Pair]
    eligible: Callable[[], QuerySet[Any]]
    open: Callable[[Mapping[str, Any]], AbstractContextManager[OpenChecker]]
    batch: int = 100


def checkable() -> QuerySet[Pair]:
    return Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED))


def compilable() -> QuerySet[Kernel]:
    """Return the kernels that can be compiled.

    Helpers are compiled with the kernels that call them. Gluon is left out, because its layouts
    can't be inferred. Pallas is left out, because JAX compiles it.
    """
    return Kernel.objects.filter(
        kind=Kind.ENTRY,
        language=Language.TRITON,
        standalone=True,
        status__in=(Status.PENDING, Status.APPROVED),
    )


# Import the harness late: Django imports this module at every start (0.15 s of 0.6 s, 2026-11-26).
def _on_cuda(options: Mapping[str, Any]) -> AbstractContextManager[OpenChecker]:
    from validation.equivalence import open_harness

    return open_harness(Device.CUDA, options)


def _in_the_interpreter(options: Mapping[str, Any]) -> AbstractContextManager[OpenChecker]:
    from validation.equivalence import open_harness

    return open_harness(Device.INTERPRETER, options)


def _compiler(options: Mapping[str, Any]) -> AbstractContextManager[OpenChecker]:
    from validation.compiling import open_compiler

    return open_compiler(options)


CHECKERS: dict[Device, Checker] = {
    # A large batch, because starting the checker takes as long as checking fifty pairs.
    Device.CUDA: Checker(model=Pair, eligible=checkable, open=_on_cuda, batch=400),
    Device.INTERPRETER: Checker(model=Pair, eligible=checkable, open=_in_the_interpreter),
    Device.COMPILER: Checker(model=Kernel, eligible=compilable, open=_compiler),
}


def checker_for(device: str) -> Checker:
    checker = CHECKERS.get(Device(device))
    if checker is None:
        able = ", ".join(CHECKERS)
        raise NoChecker(f"Nothing here checks on the device “{device}”. What can: {able}.")
    return checker
