"""Cache of figures in the database, and throttling of periodic tasks."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from curation.models import Figures


def due(name: str, seconds: int) -> bool:
    """Return True for one caller in each period of `seconds`."""
    now = timezone.now()
    row, created = Figures.objects.get_or_create(
        name=name, defaults={"value": {}, "gathered_at": now}
    )
    if created:
        return True
    before = now - timedelta(seconds=seconds)
    return bool(Figures.objects.filter(pk=row.pk, gathered_at__lte=before).update(gathered_at=now))


def keep(name: str, value: Any) -> datetime:
    now = timezone.now()
    Figures.objects.update_or_create(name=name, defaults={"value": value, "gathered_at": now})
    return now


def kept(name: str) -> Figures | None:
    return Figures.objects.filter(name=name).first()
