"""A duty that exactly one process has at a time, held by a lease in the database."""

import os
import socket
from dataclasses import dataclass, field
from datetime import timedelta

from django.db import IntegrityError, transaction
from django.utils import timezone

from curation.models import Lease


def _this_process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


@dataclass(frozen=True, slots=True)
class Duty:
    name: str
    seconds: int
    holder: str = field(default_factory=_this_process)

    def take(self) -> bool:
        """Take or keep the duty. False: another process has it and is alive."""
        now = timezone.now()
        until = now + timedelta(seconds=self.seconds)
        mine = Lease.objects.filter(name=self.name, holder=self.holder)
        expired = Lease.objects.filter(name=self.name, expires_at__lte=now)
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
