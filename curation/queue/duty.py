"""A duty that exactly one process has at a time, held by a lease in the database.

The lease ends by the database's clock: those of two hosts may differ by more than it lasts.
"""

import os
import socket
from dataclasses import dataclass, field
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from curation.models import Lease

SCHEDULER = "scheduler"


def scheduler_seconds() -> int:
    """Return how long the scheduler's duty lasts from each of its beats on."""
    # Long enough to survive a slow round, short enough for a successor to step in soon.
    return max(10, 3 * settings.SWEEP_SECONDS)


def _this_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True, slots=True)
class Duty:
    name: str
    seconds: int
    holder: str = field(default_factory=_this_process)

    def take(self) -> bool:
        """Take or keep the duty. False: another process has it and is alive."""
        until = Now() + timedelta(seconds=self.seconds)
        mine = Lease.objects.filter(name=self.name, holder=self.holder)
        expired = Lease.objects.filter(name=self.name, expires_at__lte=Now())
        if mine.update(expires_at=until) or expired.update(holder=self.holder, expires_at=until):
            return True
        try:
            with transaction.atomic():
                Lease.objects.create(name=self.name, holder=self.holder, expires_at=until)
        except IntegrityError:
            return False
        return True

    def release(self) -> None:
        Lease.objects.filter(name=self.name, holder=self.holder).delete()


def is_held(name: str) -> bool:
    """Return whether a process has this duty and is alive."""
    return Lease.objects.filter(name=name, expires_at__gt=Now()).exists()
