"""`/healthz`: report whether requests are served and work is stored."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from curation.decisions.figures import keep
from curation.jobs.duty import SCHEDULER, scheduler_seconds
from curation.jobs.workers import alive_workers
from curation.models import Lease, ValidationRun
from curation.operations.data_folder import free_space

log = logging.getLogger(__name__)

NAME = "healthz"
# Time between two test writes, so that many requests do not cause many writes.
PROBE_SECONDS = 10.0
# Seconds that the test write waits for other writers: fewer than monitoring waits for an answer.
MOST_SECONDS = 1.5


@login_not_required
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 while decisions and work can be stored, else 503 with sentences.

    Missing workers are reported, but are not fatal.
    """
    complaints: list[str] = []
    parts = _database(complaints) | _redis(complaints) | _disk(complaints)
    return JsonResponse(
        {"status": "down" if complaints else "ok", "complaints": complaints, **parts},
        status=503 if complaints else 200,
        headers={"Cache-Control": "no-store"},
    )


def _database(complaints: list[str]) -> dict[str, Any]:
    age = None
    lacks = "The database can't be reached."
    memory = None
    try:
        memory = _memory_bound()
        lease = Lease.objects.filter(name=SCHEDULER).first()
        if lease is not None:
            left = (lease.expires_at - timezone.now()).total_seconds()
            age = round(scheduler_seconds() - left, 1)
        lacks = cache.get_or_set(NAME, _write, PROBE_SECONDS) or ""
    except DatabaseError:
        connection.close()
    complaints += [lacks] if lacks else []
    return {
        "database": "down" if lacks else "ok",
        "scheduler": age is not None and age < scheduler_seconds(),
        "scheduler_age_seconds": age,
        "sandbox_memory": memory,
    }


def _memory_bound() -> str | None:
    """Return how the newest validation limited its sandboxes' memory, or None if it is unknown."""
    runs = ValidationRun.objects.filter(environment__has_key="memory").order_by("-pk")
    return runs.values_list("environment__memory", flat=True).first()


def _redis(complaints: list[str]) -> dict[str, Any]:
    try:
        return {"redis": "ok", "workers": alive_workers()}
    except RedisError:
        complaints.append("Redis can't be reached.")
        return {"redis": "down", "workers": {}}


def _disk(complaints: list[str]) -> dict[str, Any]:
    space = free_space(settings.DATA_DIR)
    if space is None:
        return {}
    free, percent = space
    if free < settings.FREE_DISK_BYTES:
        complaints.append(
            f"Only {free / 1_000_000:.0f} MB are free on the disk of the data folder, less than "
            f"{settings.FREE_DISK_BYTES / 1_000_000:g} MB."
        )
    return {"disk_free_bytes": free, "disk_free_percent": round(percent, 1)}


def _write() -> str:
    """Make a small write to the database. Return why it failed, or "" if it succeeded."""
    try:
        with _impatient():
            keep(NAME, {})
    except DatabaseError as error:
        log.warning("/healthz could not write to the database: %s", error)
        if "locked" in str(error) or "timeout" in str(error):
            return f"The database did not take a write within {MOST_SECONDS:g} seconds."
        # A message of PostgreSQL may contain a host name.
        reason = f": {error}" if connection.vendor == "sqlite" else ""
        return f"The database takes no writes{reason}."
    return ""


@contextmanager
def _impatient() -> Iterator[None]:
    """Open a transaction that waits at most `MOST_SECONDS` for other writers."""
    sqlite = connection.vendor == "sqlite"
    most = int(MOST_SECONDS * 1000)
    with connection.cursor() as cursor:
        if sqlite:
            cursor.execute(f"PRAGMA busy_timeout = {most}")
        try:
            with transaction.atomic():
                if not sqlite:
                    cursor.execute(f"SET LOCAL statement_timeout = {most}")
                yield
        finally:
            if sqlite:
                usual = int(connection.settings_dict["OPTIONS"].get("timeout", 5) * 1000)
                cursor.execute(f"PRAGMA busy_timeout = {usual}")
