"""`/metrics` for Prometheus: gauges of the database and Redis, the same from every process.

Slow counts come from the figures that the scheduler caches.
"""

import hmac
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from ipaddress import ip_address

import django_rq
from django.apps import apps
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import GaugeMetricFamily as Gauge
from redis.exceptions import RedisError

from curation.decisions.figures import kept
from curation.jobs.workers import alive_workers
from curation.models import Claim, Decision, Lease, LoginFailure, Release, Run, RunState
from curation.models.runs import LIVE
from curation.operations.data_folder import free_space
from curation.web import dashboard
from curation.web.security.throttle import WINDOW

HOUR = timedelta(hours=1)
Rows = list[tuple[str, int]]


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Serve metrics to requests with METRICS_TOKEN. If it is not set, serve only this machine."""
    if not _may_read(request):
        return HttpResponse(
            "Send METRICS_TOKEN as “Authorization: Bearer …”.\n",
            status=401,
            content_type="text/plain; charset=utf-8",
            headers={"WWW-Authenticate": "Bearer"},
        )
    return HttpResponse(
        generate_latest(Gauges()),
        content_type=CONTENT_TYPE_LATEST,
        headers={"Cache-Control": "no-store"},
    )


def _may_read(request: HttpRequest) -> bool:
    if settings.METRICS_TOKEN:
        scheme, _, shown = request.headers.get("Authorization", "").partition(" ")
        token = settings.METRICS_TOKEN.encode()
        return scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), token)
    # Behind a proxy on this machine, all requests come from this machine.
    return not settings.HTTPS and _is_loopback(request.META.get("REMOTE_ADDR", ""))


def _is_loopback(address: str) -> bool:
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


class Gauges:
    """Collector of all gauges, without those of a database or Redis that is unavailable."""

    def collect(self) -> Iterator[Gauge]:
        yield from _asked("database", _of_database)
        yield from _asked("redis", _of_redis)
        if space := free_space(settings.DATA_DIR):
            yield Gauge("curation_disk_free_bytes", "Free on the data folder's disk.", space[0])


def _asked(name: str, ask: Callable[[], Iterator[Gauge]]) -> Iterator[Gauge]:
    answers: list[Gauge] = []
    try:
        answers = list(ask())
    except DatabaseError:
        connection.close()
    except RedisError:
        pass
    yield Gauge(f"curation_{name}_up", f"Whether {name} answered.", 1 if answers else 0)
    yield from answers


def _of_database() -> Iterator[Gauge]:
    now = timezone.now()
    yield from _live_runs(now)
    yield from _people(now)
    lease = Lease.objects.filter(name="scheduler").first()
    yield Gauge(
        "curation_scheduler_lease_seconds",
        "How long the scheduler's duty lasts from its last beat on; 0 without a scheduler.",
        max(0.0, (lease.expires_at - now).total_seconds()) if lease else 0,
    )
    yield Gauge("curation_releases", "Releases made.", Release.objects.count())
    yield from _gathered()


def _live_runs(now: datetime) -> Iterator[Gauge]:
    live = Gauge("curation_live_runs", "Queued and running runs.", labels=["run", "queue", "state"])
    waiting = Gauge(
        "curation_oldest_waiting_run_seconds",
        "Age of the oldest queued run; 0 without one.",
        labels=["run", "queue"],
    )
    for model in apps.get_models():
        if not issubclass(model, Run):
            continue
        about = [model.__name__.removesuffix("Run").lower(), model.QUEUE]
        rows = model._default_manager.filter(state__in=LIVE).order_by().values("state")
        seen = {row["state"]: row for row in rows.annotate(n=Count("pk"), since=Min("created_at"))}
        for state in (RunState.QUEUED, RunState.RUNNING):
            count = seen[state]["n"] if state in seen else 0
            live.add_metric([*about, state.value], count)
        since = seen[RunState.QUEUED]["since"] if RunState.QUEUED in seen else now
        waiting.add_metric(about, (now - since).total_seconds())
    yield live
    yield waiting


def _people(now: datetime) -> Iterator[Gauge]:
    decisions = Decision.objects.filter(created_at__gte=now - HOUR).order_by()
    by_actor: Rows = list(decisions.values_list("actor").annotate(n=Count("pk")))
    yield _by("curation_decisions_last_hour", "Decisions of the last hour.", "actor", by_actor)
    yield Gauge(
        "curation_live_claims",
        "Items under review.",
        Claim.objects.filter(expires_at__gt=now).count(),
    )
    yield Gauge(
        "curation_failed_logins",
        f"Failed logins of the last {WINDOW.seconds // 60} minutes without a success afterwards.",
        LoginFailure.objects.filter(created_at__gte=now - WINDOW).count(),
    )


def _gathered() -> Iterator[Gauge]:
    """Yield the cached figures; the first gauge is the time of the count."""
    figures = kept(dashboard.NAME)
    yield Gauge(
        "curation_gathered_timestamp_seconds",
        "Time at which the scheduler counted the following; 0 if never.",
        figures.gathered_at.timestamp() if figures else 0,
    )
    value = figures.value if figures else {}
    items = Gauge("curation_items", "Kernels and pairs.", labels=["kind", "status"])
    for kind in ("kernels", "pairs"):
        for status, count in value.get(kind, ()):
            items.add_metric([kind, status], count)
    yield items
    for name, help, label, key in (
        ("curation_validation_results", "Results of validations.", "verdict", "validations"),
        ("curation_sources", "Sources by the outcome of their last ingest.", "state", "ingests"),
    ):
        yield _by(name, help, label, value.get(key, ()))
    ended = Gauge("curation_ended_runs", "Runs that have ended.", labels=["run", "state"])
    for run, state, count in value.get("ended", ()):
        ended.add_metric([run, state], count)
    yield ended


def _of_redis() -> Iterator[Gauge]:
    lengths = [(name, django_rq.get_queue(name).count) for name in settings.RQ_QUEUES]
    yield _by("curation_queue_jobs", "Jobs that wait in Redis.", "queue", lengths)
    alive = list(alive_workers().items())
    yield _by("curation_workers", "Workers that are alive.", "queue", alive)


def _by(name: str, help: str, label: str, rows: Rows) -> Gauge:
    gauge = Gauge(name, help, labels=[label])
    for value, count in rows:
        gauge.add_metric([value], count)
    return gauge
