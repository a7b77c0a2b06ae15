"""What is measured. Web processes are many, so nothing is counted in one of them: the database
and Redis are asked. What takes long to count comes from the figures that the scheduler gathers."""

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
from curation.models.run import LIVE
from curation.queue.workers import alive_workers
from curation.review import dashboard
from curation.review.figures import kept
from curation.security.throttle import WINDOW

HOUR = timedelta(hours=1)
Rows = list[tuple[str, int]]


def gauges() -> Iterator[Gauge]:
    """All of them; where the database or Redis is away, what the other one knows."""
    yield from _asked("database", _of_database)
    yield from _asked("redis", _of_redis)
    if space := free_space(settings.DATA_DIR):
        yield gauge("curation_disk_free_bytes", "Free on the data folder's disk.", space[0])


def _asked(name: str, ask: Callable[[], Iterator[Gauge]]) -> Iterator[Gauge]:
    found: list[Gauge] = []
    try:
        found = list(ask())
    except DatabaseError:
        connection.close()
    except RedisError:
        pass
    yield gauge(f"curation_{name}_up", f"Whether {name} answered.", 1 if found else 0)
    yield from found


def _of_database() -> Iterator[Gauge]:
    now = timezone.now()
    yield from _live_runs(now)
    yield from _people(now)
    lease = Lease.objects.filter(name="scheduler").first()
    yield gauge(
        "curation_scheduler_lease_seconds",
        "How long the scheduler's duty lasts from its last beat on; 0 where nobody has it.",
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
    yield Gauge("curation_live_runs", "Runs that wait or are carried out.", tuple(live))
    yield Gauge(
        "curation_oldest_waiting_run_seconds",
        "How long ago the oldest queued run was asked for; 0 where none waits.",
        tuple(waiting),
    )


def _people(now: datetime) -> Iterator[Gauge]:
    decisions = Decision.objects.filter(created_at__gte=now - HOUR).order_by()
    by_actor: Rows = list(decisions.values_list("actor").annotate(n=Count("pk")))
    yield _by("curation_decisions_last_hour", "Decisions of the last hour.", "actor", by_actor)
    yield gauge(
        "curation_live_claims",
        "Items that somebody looks at.",
        Claim.objects.filter(expires_at__gt=now).count(),
    )
    yield gauge(
        "curation_failed_logins",
        f"Failed logins of the last {WINDOW.seconds // 60} minutes that no good one followed.",
        LoginFailure.objects.filter(created_at__gte=now - WINDOW).count(),
    )


def _gathered() -> Iterator[Gauge]:
    """As of the moment that the first of them tells."""
    found = kept(dashboard.NAME)
    yield gauge(
        "curation_gathered_timestamp_seconds",
        "When the scheduler counted what follows; 0 where it never did.",
        found.gathered_at.timestamp() if found else 0,
    )
    value = found.value if found else {}
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
