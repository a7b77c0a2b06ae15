"""A validation worker of its own process, whose compiler kills it at one kernel.

    python -m tests.hostile.stopping_checker RUN KERNEL

Carries out the run RUN once; at the kernel KERNEL it ends by SIGKILL, as for want of memory.
"""

import os
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import django

django.setup()

from curation.models import Device, Kernel, Verdict  # noqa: E402
from validation import checkers  # noqa: E402
from validation.checkers import Checker, compilable  # noqa: E402
from validation.findings import Beat, Begin, ItemFinding  # noqa: E402
from validation.jobs import validate  # noqa: E402

RUN, DEADLY = map(int, sys.argv[1:])
AT_ONCE = 4


class StoppingChecker:
    environment: Mapping[str, Any] = {}

    def check(
        self, items: Iterable[Kernel], beat: Beat, begin: Begin
    ) -> Iterator[tuple[Kernel, ItemFinding]]:
        waiting = list(items)
        for place, kernel in enumerate(waiting):
            for ahead in waiting[place : place + AT_ONCE]:
                begin(ahead)
            if kernel.pk == DEADLY:
                os.kill(os.getpid(), signal.SIGKILL)
            yield kernel, ItemFinding(Verdict.PASSED, "fine")


@contextmanager
def opened(options: Mapping[str, Any]) -> Iterator[StoppingChecker]:
    yield StoppingChecker()


checkers.CHECKERS[Device.COMPILER] = Checker(Kernel, compilable, opened)
validate(RUN)
