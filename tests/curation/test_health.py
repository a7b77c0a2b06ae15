"""`/healthz` tells an operator, without a login, what is there and what is not."""

import pytest
import redis
from django.conf import settings
from django.db import DatabaseError
from django.test import Client

from curation.queue.duty import Duty

pytestmark = pytest.mark.django_db


def test_all_is_well_with_a_database_and_redis(client: Client, queue_redis: redis.Redis) -> None:
    answer = client.get("/healthz")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "database": "ok",
        "redis": "ok",
        "workers": {"ingest": 0, "validation": 0, "default": 0},
        "scheduler": False,
    }


def test_a_live_scheduler_is_seen(client: Client, queue_redis: redis.Redis) -> None:
    Duty("scheduler", seconds=60).take()

    assert client.get("/healthz").json()["scheduler"] is True


def test_a_missing_redis_is_told(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    for queue in settings.RQ_QUEUES.values():
        monkeypatch.setitem(queue, "URL", "unix:///nowhere/redis.sock")

    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["redis"] == "down"


def test_a_missing_database_is_told(
    client: Client, queue_redis: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(**_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr("curation.health.Lease.objects.filter", gone)
    monkeypatch.setattr("curation.health.connection.close", lambda: None)

    answer = client.get("/healthz")

    assert answer.status_code == 503
    assert answer.json()["database"] == "down"
