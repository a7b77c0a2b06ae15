"""The admin's home groups the models, and counts what an operator looks into."""

import re
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client
from django.utils import timezone
from redis.exceptions import RedisError

import tests.factories as make
from curation.admin_site import EVIDENCE, GROUPS
from curation.models import RunState

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def shown(client: Client) -> str:
    return client.get("/admin/").content.decode()


def test_each_model_is_in_one_of_four_groups(by_superuser: Client) -> None:
    page = shown(by_superuser)

    groups = re.findall(r'class="app-(\w+) module', page)
    assert groups == [name.lower() for name in (*GROUPS, EVIDENCE)]
    # django-rq's page has no permission to view, so Django does not list it.
    assert page.count('class="model-') >= len(admin.site._registry) - 1
    named = [name for names in GROUPS.values() for name in names]
    assert len(named) == len(set(named))


def test_the_home_counts_failed_runs_disputes_and_questions(
    by_superuser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> dict[str, int]:
        raise RedisError

    monkeypatch.setattr("curation.jobs.workers.alive_workers", away)
    ended: dict[str, Any] = {"state": RunState.FAILED, "finished_at": timezone.now()}
    make.an_ingest_run(**ended)
    make.an_export_run(**ended)
    make.a_dispute()
    make.a_question()

    counts = re.findall(r"<strong>(\S+)</strong> ([^<]+)</a>", shown(by_superuser))

    assert counts == [
        ("2", "runs failed this week"), ("1", "disputed kernels and pairs"),
        ("1", "open questions"), ("?", "queues without a worker"),
    ]  # fmt: skip
