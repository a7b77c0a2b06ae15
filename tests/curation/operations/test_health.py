"""`/healthz` tells an operator, without a login, what is there and what is not."""

import json
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection, transaction
from django.test import Client

from curation.decisions.figures import keep
from curation.jobs.duty import Duty
from curation.operations import health
from tests import factories as make
from tests.probes import queries_of
from tests.waiting import DEADLINE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("queue_redis")]


@pytest.fixture(autouse=True)
def no_earlier_write() -> None:
    cache.delete(health.NAME)


def test_healthz_reports_ok_with_a_database_and_redis(client: Client) -> None:
    answer = client.get("/healthz")

    assert answer.status_code == 200
    report = answer.json()
    assert report.pop("disk_free_bytes") > 200_000_000
    assert 0 < report.pop("disk_free_percent") < 100
    assert report == {
        "status": "ok",
        "complaints": [],
        "database": "ok",
        "redis": "ok",
        "workers": {"ingest": 0, "validation": 0, "default": 0},
        "scheduler": False,
        "scheduler_age_seconds": None,
        "sandbox_memory": None,
    }


def test_the_memory_bound_of_the_newest_validation_is_shown(client: Client) -> None:
    make.a_validation_run(environment={"memory": "cgroup"})
    make.a_validation_run(environment={"memory": "watched, no cgroup here"})
    make.a_validation_run(environment={})

    assert client.get("/healthz").json()["sandbox_memory"] == "watched, no cgroup here"


def test_healthz_shows_a_live_scheduler_and_its_age(client: Client) -> None:
    Duty("scheduler", seconds=30).take()

    report = client.get("/healthz").json()

    # A beat promises 45 seconds; one that has 30 left came 15 seconds ago.
    assert report["scheduler"] is True
    assert 15 <= report["scheduler_age_seconds"] < 45


def test_healthz_reports_a_missing_redis(client: Client, no_redis: None) -> None:
    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["redis"] == "down"
    assert answer.json()["complaints"] == ["Redis can't be reached."]


def test_healthz_reports_a_missing_database(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(**_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr("curation.operations.health.Lease.objects.filter", gone)
    monkeypatch.setattr("curation.operations.health.connection.close", lambda: None)

    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["database"] == "down"
    assert answer.json()["complaints"] == ["The database can't be reached."]


def test_healthz_reports_low_disk_space(client: Client, settings: Any) -> None:
    settings.FREE_DISK_BYTES = 10**18

    answer = client.get("/healthz")

    assert answer.status_code == 503
    (sentence,) = answer.json()["complaints"]
    assert sentence.endswith("on the disk of the data folder, less than 1e+12 MB.")


def test_many_health_requests_cause_at_most_two_writes(client: Client) -> None:
    def ask() -> None:
        for method in (client.get, client.head) * 20:
            assert method("/healthz").status_code == 200

    wrote = [sql for sql in queries_of(ask) if sql.startswith(("INSERT", "UPDATE"))]
    assert 1 <= len(wrote) <= 2, wrote


@pytest.mark.django_db(transaction=True)
def test_healthz_answers_soon_while_another_writer_locks_the_database(client: Client) -> None:
    held, release = threading.Event(), threading.Event()

    def write() -> None:
        with transaction.atomic():
            keep(health.NAME, {})
            held.set()
            release.wait(DEADLINE)
        connection.close()

    keep(health.NAME, {})
    writer = threading.Thread(target=write)
    writer.start()
    assert held.wait(DEADLINE)
    began = time.monotonic()
    try:
        answer = client.get("/healthz")
        took = time.monotonic() - began
    finally:
        release.set()
        writer.join()

    assert answer.status_code == 503
    assert answer.json()["complaints"] == ["The database did not take a write within 1.5 seconds."]
    # The settings' own timeout is 20 seconds.
    assert took < 10
    cache.delete(health.NAME)
    assert client.get("/healthz").status_code == 200


def test_healthz_reports_a_full_disk(
    tmp_path: Path, redis_server: Path, migrated: Callable[[Path], Path]
) -> None:
    mounted = tmp_path / "disk"
    mounted.mkdir()
    mount = 'mount -t tmpfs -o size=32m none "$1" && cp "$2"/* "$1" && shift 2 && exec "$@"'
    namespace = ("unshare", "-rm", "sh", "-c", mount, "sh", mounted, migrated(tmp_path / "data"))
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run(
        [*namespace, sys.executable, "-m", "tests.curation.operations.ask_on_a_full_disk"],
        cwd=settings.BASE_DIR,
        env={
            "PATH": str(Path(shutil.which("git") or "").parent),
            "CURATION_DATA": str(mounted),
            "REDIS_URL": f"unix://{redis_server}",
            "HTTPS": "0",
            "FREE_DISK_BYTES": "0",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    before, after = json.loads(done.stdout)

    assert before["code"] == 200
    assert after["code"] == 503
    assert after["complaints"] == ["The database takes no writes: database or disk is full."]
