"""A curator validates the pairs of a list: a count first, then the runs."""

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

import tests.factories as make
from curation.models import Pair, ValidationRun

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


@pytest.fixture
def browser(client: Client) -> Client:
    client.force_login(make.a_curator())
    return client


@pytest.fixture
def pairs() -> list[Pair]:
    """Three pairs of recipes, of which the first has a result, and one of another origin."""
    made = [make.a_pair(origin="template") for _ in range(3)]
    run = make.a_validation_run(device=settings.VALIDATION_DEVICE)
    make.a_validation_result(run=run, pair=made[0])
    make.a_pair(origin="manual")
    return made


def queued() -> set[int]:
    runs = ValidationRun.objects.exclude(requested_by=None)
    return {pk for run in runs for _, pk, _ in run.batch}


def test_a_list_of_pairs_is_counted_before_it_is_validated(
    browser: Client, pairs: list[Pair]
) -> None:
    query = "items=pairs&origin=template"
    assert (
        f'href="{reverse("validate-list")}?items=pairs&amp;origin=template"'
        in browser.get(f"{reverse('find')}?{query}").content.decode()
    )

    page = browser.get(f"{reverse('validate-list')}?{query}").content.decode()

    assert "Validate the 2 without a result" in page
    assert "Validate all 3 pairs" in page
    assert not queued()


@pytest.mark.parametrize(("form", "expected"), [({"fresh": "1"}, [1, 2]), ({}, [0, 1, 2])])
def test_the_confirmed_pairs_are_queued(
    form: dict[str, str], expected: list[int], browser: Client, pairs: list[Pair]
) -> None:
    answer = browser.post(
        reverse("validate-list"), {"filter": "items=pairs&origin=template", **form}, follow=True
    )

    assert queued() == {pairs[place].pk for place in expected}
    assert f"{len(expected)} pairs in 1 run: queued." in answer.content.decode()


def test_a_wrong_filter_validates_nothing(browser: Client, pairs: list[Pair]) -> None:
    answer = browser.post(reverse("validate-list"), {"filter": "speedup=fast"}, follow=True)

    assert "no number and no range" in answer.content.decode()
    assert not queued()
