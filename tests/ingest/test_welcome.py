"""The page that greets a new installation."""

from collections.abc import Callable
from typing import Any

import pytest
import redis
from django.test import Client
from django.urls import reverse

from curation.models import IngestRun, Repository
from curation.sources.load import load_sources
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    client = Client()
    client.force_login(make.a_curator())
    return client


def test_it_leads_from_the_pairs_by_hand_to_the_export(browser: Client) -> None:
    load_sources()
    pairs = [make.a_pair(origin="manual") for _ in range(3)]
    make.a_validation_result(pair=pairs[0])

    page = browser.get(reverse("welcome")).content.decode()

    assert "3 pairs were written by hand" in page
    assert "1 of them have been checked" in page
    assert "Dao-AILab/flash-attention" in page
    assert "KernelBench" not in page
    assert "No kernel has come in yet" in page


def test_one_click_queues_a_known_source(browser: Client, queue_redis: redis.Redis) -> None:
    source = make.a_repository()

    page = browser.post(reverse("welcome"), {"source": source.pk}, follow=True).content.decode()
    again = browser.post(reverse("welcome"), {"source": source.pk}, follow=True).content.decode()

    assert f"{source} is queued." in page
    assert "Not queued" in again
    assert IngestRun.objects.get().repository == source


@pytest.mark.parametrize("opted_out", [False, True])
def test_what_is_not_offered_is_not_read(browser: Client, opted_out: bool) -> None:
    other = make.a_repository(role="benchmark")
    if opted_out:
        Repository.objects.update(role="source", enabled=False)

    page = browser.post(reverse("welcome"), {"source": other.pk}, follow=True).content.decode()

    assert "Choose one of the sources. Nothing has changed." in page
    assert not IngestRun.objects.exists()


def test_it_asks_the_database_a_fixed_number_of_times(
    browser: Client, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    for _ in range(10):
        make.an_ingest_run()

    with django_assert_max_num_queries(9):
        browser.get(reverse("welcome"))
