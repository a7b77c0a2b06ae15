"""Figures that are kept for a while, and work that is done no more often than its period."""

from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from curation.models import Figures


def due(name: str, seconds: int) -> bool:
    """Whether it is this caller's turn, once in `seconds`, whoever else asks."""
    now = timezone.now()
    row, made = Figures.objects.get_or_create(name=name, defaults={"value": {}, "gathered_at": now})
    if made:
        return True
    before = now - timedelta(seconds=seconds)
    return bool(Figures.objects.filter(pk=row.pk, gathered_at__lte=before).update(gathered_at=now))


def keep(name: str, value: Any) -> datetime:
    now = timezone.now()
    Figures.objects.update_or_create(name=name, defaults={"value": value, "gathered_at": now})
    return now


def kept(name: str) -> Figures | None:
    return Figures.objects.filter(name=name).first()
