"""The admin of sources: a short form, and an ingest queued by one click."""

import re

import pytest
import redis
from django.test import Client

from curation.models import IngestRun, RunState
from ingest.admin import RepositoryAdmin
from tests.factories import a_curator

pytestmark = pytest.mark.django_db


@pytest.fixture
def by_curator(client: Client) -> Client:
    client.force_login(a_curator())
    return client


def test_the_form_of_a_new_source_shows_its_address_and_one_button_first(
    by_curator: Client,
) -> None:
    page = by_curator.get("/admin/curation/repository/add/").content.decode()
    form = page[page.index('id="repository_form"') :]

    assert re.findall(r'name="(\w+)"', form.partition("<details")[0])[-1] == "url"
    assert re.findall(r'<input type="submit"[^>]*name="(\w+)"', form) == ["_ingest", "_save"]


def test_the_columns_of_the_sources_fit_on_a_screen() -> None:
    assert len(RepositoryAdmin.list_display) <= 8


def test_a_source_is_saved_and_its_ingest_queued_by_one_click(
    by_curator: Client, queue_redis: redis.Redis
) -> None:
    form = by_curator.get("/admin/curation/repository/add/")
    values = {
        name: value
        for name, value in form.context["adminform"].form.initial.items()
        if value is not None
    }
    assert "Save and queue an ingest" in form.content.decode()

    answer = by_curator.post(
        "/admin/curation/repository/add/",
        {**values, "url": "https://github.com/example/kernels", "role": "source",
         "category": "utils", "tier": "3", "refresh_days": "90", "upsampling_weight": "1",
         "_ingest": "1"},
    )  # fmt: skip

    assert answer.status_code == 302, answer.context["adminform"].form.errors
    run = IngestRun.objects.get()
    assert run.repository.url == "https://github.com/example/kernels"
    assert run.state == RunState.QUEUED
