"""Repeated ingest of each enabled source when its refresh period has passed."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.utils import timezone

from curation.models import Origin, Repository
from ingest.requests import NotIngested, request_ingest

# Time until a source that could not be read is queued again.
PATIENCE = timedelta(days=1)


def queue_due() -> int:
    """Queue the sources that are due, and return their number.

    A source that was never read must be requested by a person. Folders of this machine are never
    queued.
    """
    now = timezone.now()
    sources = Repository.objects.enabled().filter(origin=Origin.GIT)
    condition = Q(pk__in=[])
    # One condition for each period: SQLite and PostgreSQL multiply intervals differently.
    for days in sources.order_by().values_list("refresh_days", flat=True).distinct():
        condition |= Q(refresh_days=days, last_ingested_at__lte=now - timedelta(days=days))
    due = (
        sources.filter(condition)
        .annotate(asked_at=Max("runs__created_at"))
        .filter(Q(asked_at=None) | Q(asked_at__lte=now - PATIENCE))
        .order_by("last_ingested_at")[: settings.REFRESHES_AT_ONCE]
    )
    queued = 0
    for repository in due:
        try:
            request_ingest(repository)
        except NotIngested:
            continue
        queued += 1
    return queued
