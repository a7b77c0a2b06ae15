"""A validation worker of its own process, whose compiler kills it at one kernel.

    python -m tests.hostile.stopping_checker RUN KERNEL

Carries out the run RUN once; at the kernel KERNEL it ends by SIGKILL, as for want of memory.
"""

import os
import signal
import sys

import django

django.setup()

from curation.models import Device  # noqa: E402
from tests.validation.plugged_checker import PluggedChecker  # noqa: E402
from validation import checkers  # noqa: E402
from validation.jobs import validate  # noqa: E402

RUN, DEADLY = map(int, sys.argv[1:])


class StoppingChecker(PluggedChecker):
    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


checker = StoppingChecker()
checker.deadly = {DEADLY}
checkers.CHECKERS[Device.COMPILER] = checker.plug()
validate(RUN)
