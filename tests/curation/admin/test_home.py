"""The admin's home lists the models, and counts what an operator looks into."""

import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError

import tests.factories as make
from curation.models import RunState

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def shown(client: Client) -> str:
    return client.get("/admin/").content.decode()


def test_the_home_lists_eight_models(by_superuser: Client) -> None:
    assert shown(by_superuser).count('class="model-') == 8


def test_the_home_counts_failed_runs_and_disputes(
    by_superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> dict[str, int]:
        raise RedisError

    monkeypatch.setattr("curation.jobs.workers.alive_workers", away)
    ended: dict[str, Any] = {"state": RunState.FAILED, "finished_at": timezone.now()}
    make.an_ingest_run(**ended)
    make.an_export_run(**ended)
    make.a_dispute()

    counts = re.findall(r"<strong>(\S+)</strong> ([^<]+)</a>", shown(by_superuser))

    assert counts == [
        ("2", "runs failed this week"), ("1", "disputed kernels and pairs"),
        ("?", "queues without a worker"),
    ]  # fmt: skip
