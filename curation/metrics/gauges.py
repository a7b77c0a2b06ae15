"""Gauges, read from the database and Redis, because many web processes serve.

Slow counts come from the figures that the scheduler caches.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import django_rq
from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from django.utils import timezone
from redis.exceptions import RedisError

from curation.installation.data_folder import free_space
from curation.metrics.text import Gauge, Sample, gauge
from curation.models import Claim, Decision, Lease, LoginFailure, Release, Run, RunState
from curation.models.runs import LIVE
from curation.queue.workers import alive_workers
from curation.review import dashboard
from curation.review.figures import kept
from curation.security.throttle import WINDOW

HOUR = timedelta(hours=1)
Rows = list[tuple[str, int]]


def gauges() -> Iterator[Gauge]:
    """Yield all gauges. If the database or Redis is unavailable, yield those of the other."""
    yield from _asked("database", _of_database)
    yield from _asked("redis", _of_redis)
    if space := free_space(settings.DATA_DIR):
        yield gauge("curation_disk_free_bytes", "Free on the data folder's disk.", space[0])


def _asked(name: str, ask: Callable[[], Iterator[Gauge]]) -> Iterator[Gauge]:
    answers: list[Gauge] = []
    try:
        answers = list(ask())
    except DatabaseError:
        connection.close()
    except RedisError:
        pass
    yield gauge(f"curation_{name}_up", f"Whether {name} answered.", 1 if answers else 0)
    yield from answers


def _of_database() -> Iterator[Gauge]:
    now = timezone.now()
    yield from _live_runs(now)
    yield from _people(now)
    lease = Lease.objects.filter(name="scheduler").first()
    yield gauge(
        "curation_scheduler_lease_seconds",
        "How long the scheduler's duty lasts from its last beat on; 0 without a scheduler.",
        max(0.0, (lease.expires_at - now).total_seconds()) if lease else 0,
    )
    yield gauge("curation_releases", "Releases made.", Release.objects.count())
    yield from _gathered()


def _live_runs(now: datetime) -> Iterator[Gauge]:
    live, waiting = [], []
    for model in apps.get_models():
        if not issubclass(model, Run):
            continue
        about = {"run": model.__name__.removesuffix("Run").lower(), "queue": model.QUEUE}
        rows = model._default_manager.filter(state__in=LIVE).order_by().values("state")
        seen = {row["state"]: row for row in rows.annotate(n=Count("pk"), since=Min("created_at"))}
        for state in (RunState.QUEUED, RunState.RUNNING):
            count = seen[state]["n"] if state in seen else 0
            live.append(Sample(count, {**about, "state": state.value}))
        since = seen[RunState.QUEUED]["since"] if RunState.QUEUED in seen else now
        waiting.append(Sample((now - since).total_seconds(), about))
    yield Gauge("curation_live_runs", "Queued and running runs.", tuple(live))
    yield Gauge(
        "curation_oldest_waiting_run_seconds",
        "Age of the oldest queued run; 0 without one.",
        tuple(waiting),
    )


def _people(now: datetime) -> Iterator[Gauge]:
    decisions = Decision.objects.filter(created_at__gte=now - HOUR).order_by()
    by_actor: Rows = list(decisions.values_list("actor").annotate(n=Count("pk")))
    yield _by("curation_decisions_last_hour", "Decisions of the last hour.", "actor", by_actor)
    yield gauge(
        "curation_live_claims",
        "Items under review.",
        Claim.objects.filter(expires_at__gt=now).count(),
    )
    yield gauge(
        "curation_failed_logins",
        f"Failed logins of the last {WINDOW.seconds // 60} minutes without a success afterwards.",
        LoginFailure.objects.filter(created_at__gte=now - WINDOW).count(),
    )


def _gathered() -> Iterator[Gauge]:
    """Yield the cached figures; the first gauge is the time of the count."""
    figures = kept(dashboard.NAME)
    yield gauge(
        "curation_gathered_timestamp_seconds",
        "Time at which the scheduler counted the following; 0 if never.",
        figures.gathered_at.timestamp() if figures else 0,
    )
    value = figures.value if figures else {}
    items = [
        Sample(count, {"kind": kind, "status": status})
        for kind in ("kernels", "pairs")
        for status, count in value.get(kind, ())
    ]
    yield Gauge("curation_items", "Kernels and pairs.", tuple(items))
    for name, help, label, key in (
        ("curation_validation_results", "Results of validations.", "verdict", "validations"),
        ("curation_sources", "Sources by the outcome of their last ingest.", "state", "ingests"),
    ):
        yield _by(name, help, label, value.get(key, ()))
    ended = [
        Sample(count, {"run": run, "state": state}) for run, state, count in value.get("ended", ())
    ]
    yield Gauge("curation_ended_runs", "Runs that have ended.", tuple(ended))


def _of_redis() -> Iterator[Gauge]:
    lengths = [(name, django_rq.get_queue(name).count) for name in settings.RQ_QUEUES]
    yield _by("curation_queue_jobs", "Jobs that wait in Redis.", "queue", lengths)
    alive = list(alive_workers().items())
    yield _by("curation_workers", "Workers that are alive.", "queue", alive)


def _by(name: str, help: str, label: str, rows: Rows) -> Gauge:
    return Gauge(name, help, tuple(Sample(count, {label: value}) for value, count in rows))
