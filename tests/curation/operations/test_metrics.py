"""`/metrics`: what Prometheus reads, who else may, and what it costs."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from curation.decisions.figures import keep
from curation.jobs.duty import Duty
from curation.jobs.enqueue import enqueue
from curation.models import RunState
from curation.web import dashboard
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("queue_redis")]

QUERIES = 10


def read(client: Client, **extra: Any) -> dict[str, float]:
    answer = client.get("/metrics", **extra)
    assert answer.status_code == 200
    lines = answer.content.decode().splitlines()
    return {
        name: float(value)
        for name, _, value in (line.rpartition(" ") for line in lines if not line.startswith("#"))
    }


def test_the_metrics_report_queues_runs_claims_and_disk_space(
    client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    now = timezone.now()
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(make.an_ingest_run())
    waiting = make.a_validation_run()
    type(waiting).objects.update(created_at=now - timedelta(minutes=5))
    make.an_ingest_run(state=RunState.FAILED, finished_at=now)
    Duty("scheduler", seconds=60).take()
    make.a_login_failure()
    make.a_claim(expires_at=now + timedelta(minutes=1))
    make.a_decision()

    found = read(client)

    assert found["curation_database_up"] == found["curation_redis_up"] == 1
    assert found['curation_live_runs{queue="ingest",run="ingest",state="queued"}'] == 1
    assert found['curation_live_runs{queue="default",run="export",state="running"}'] == 0
    assert found['curation_queue_jobs{queue="ingest"}'] == 1
    assert found['curation_workers{queue="validation"}'] == 0
    waited = found['curation_oldest_waiting_run_seconds{queue="validation",run="validation"}']
    assert 300 <= waited < 320
    assert 50 < found["curation_scheduler_lease_seconds"] <= 60
    assert found["curation_failed_logins"] == 1
    assert found["curation_disk_free_bytes"] > 0
    assert found["curation_live_claims"] == 1
    assert found['curation_decisions_last_hour{actor="person"}'] == 1


def test_slow_metrics_come_from_the_stored_figures_with_their_timestamp(client: Client) -> None:
    make.an_approved_kernel()
    make.a_pair()
    source = make.a_repository()
    for state in (RunState.FAILED, RunState.SUCCEEDED):
        make.an_ingest_run(repository=source, state=state, finished_at=timezone.now())
    at = keep(dashboard.NAME, dashboard.gather())
    make.a_pair()

    found = read(client)

    assert found["curation_gathered_timestamp_seconds"] == pytest.approx(at.timestamp())
    assert found['curation_items{kind="kernels",status="approved"}'] == 1
    assert found['curation_items{kind="pairs",status="pending"}'] == 1
    assert found['curation_ended_runs{run="ingest",state="failed"}'] == 1
    assert found['curation_sources{state="succeeded"}'] == 1
    assert 'curation_sources{state="failed"}' not in found


def test_the_gathered_timestamp_is_zero_without_a_scheduler(client: Client) -> None:
    assert read(client)["curation_gathered_timestamp_seconds"] == 0


def test_every_metric_has_exactly_one_help_line(client: Client) -> None:
    keep(dashboard.NAME, dashboard.gather())
    lines = client.get("/metrics").content.decode().splitlines()

    helped = [line.split()[2] for line in lines if line.startswith("# HELP")]
    told = {re.split(r"[ {]", line)[0] for line in lines if not line.startswith("#")}
    assert len(helped) == len(set(helped))
    assert told <= set(helped)


def test_the_metrics_page_runs_a_fixed_number_of_queries(
    client: Client, django_assert_num_queries: Any
) -> None:
    for _ in range(3):
        make.a_decision()
        make.an_ingest_run()
    keep(dashboard.NAME, dashboard.gather())

    with django_assert_num_queries(QUERIES):
        client.get("/metrics")


def test_the_metrics_report_the_database_without_redis(client: Client, no_redis: None) -> None:
    found = read(client)

    assert found["curation_redis_up"] == 0
    assert found["curation_database_up"] == 1
    assert 'curation_queue_jobs{queue="ingest"}' not in found


def test_the_metrics_report_redis_without_the_database(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(**_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr("curation.operations.metrics.Lease.objects.filter", gone)
    monkeypatch.setattr("curation.operations.metrics.connection.close", lambda: None)

    found = read(client)

    assert found["curation_database_up"] == 0
    assert found['curation_queue_jobs{queue="ingest"}'] == 0
    assert "curation_releases" not in found


# --- Who may read it ------------------------------------------------------------------------
def test_without_a_token_only_localhost_can_read_the_metrics(client: Client) -> None:
    for address, code in {"127.0.0.1": 200, "::1": 200, "10.0.0.7": 401, "": 401}.items():
        assert client.get("/metrics", REMOTE_ADDR=address).status_code == code, address


def test_without_a_token_the_metrics_are_closed_behind_a_proxy(
    client: Client, settings: Any
) -> None:
    settings.HTTPS = True

    assert client.get("/metrics").status_code == 401


def test_the_metrics_require_the_configured_token(client: Client, settings: Any) -> None:
    settings.METRICS_TOKEN = "long enough"
    shown = {
        "Bearer long enough": 200,
        "Bearer naïve": 401,
        "Basic long enough": 401,
        "Bearer": 401,
        "": 401,
    }

    for header, code in shown.items():
        answer = client.get("/metrics", headers={"Authorization": header}, REMOTE_ADDR="10.0.0.7")
        assert answer.status_code == code, header
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_the_metrics_do_not_redirect_a_scraper_to_https(client: Client, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True

    assert client.get("/metrics").status_code == 200
