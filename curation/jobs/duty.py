"""Exclusive duties: a lease in the database gives a duty to at most one process.

The lease ends by the database's clock, because clocks of hosts may differ by more than its length.
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
    """Return the length of the scheduler's lease."""
    # It must outlast a slow sweep, but end soon, so that a successor can start.
    return max(10, 3 * settings.SWEEP_SECONDS)


def _this_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True, slots=True)
class Duty:
    name: str
    seconds: int
    holder: str = field(default_factory=_this_process)

    def take(self) -> bool:
        """Acquire or renew the lease of the duty. Return False if another process holds it."""
        until = Now() + timedelta(seconds=self.seconds)
        own_lease = Lease.objects.filter(name=self.name, holder=self.holder)
        expired = Lease.objects.filter(name=self.name, expires_at__lte=Now())
        if own_lease.update(expires_at=until) or expired.update(
            holder=self.holder, expires_at=until
        ):
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
    """Return True if a process holds the lease of this duty."""
    return Lease.objects.filter(name=name, expires_at__gt=Now()).exists()
