"""The ladder on a pair's page: its rungs in order, with times at one place."""

from typing import Any

import pytest
from django.test import Client

from curation.evidence.ladders import read_perf_cases
from curation.models import Device, Pair
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
PYTHON = "def scale(x):\n    return x * 2\n"
LARGE = {"n": 4096}


def a_rung(rung: str, **over: Any) -> Pair:
    values = {"ladder": "scale", "python_code": PYTHON, "test_code": f"PERF_CASES = [{LARGE}]\n"}
    return make.a_pair(rung=rung, **{**values, **over})


def timed(pair: Pair, median_us: float) -> None:
    figures = {"timed_case": LARGE, "timing": {"candidate": {"median_us": median_us}}}
    run = make.a_validation_run(device=Device.CUDA, environment={"gpu": "NVIDIA H100"})
    make.a_validation_result(
        run=run, pair=pair, content_hash=pair.content_hash, figures=figures, verdict="passed"
    )


def page_of(pair: Pair) -> str:
    client = Client()
    client.force_login(make.a_reviewer())
    return client.get(pair.get_absolute_url()).content.decode()


def test_the_page_links_the_other_rungs_in_order() -> None:
    tiled, naive = a_rung("2 tiled"), a_rung("1 naive")
    other = a_rung("1 other", python_code="def scale(x):\n    return x + x\n")

    page = page_of(tiled)

    link = f'<a href="{naive.get_absolute_url()}">1 naive</a>'
    assert "<strong>2 tiled</strong>" in page
    assert page.index(link) < page.index("<strong>2 tiled</strong>")
    assert other.get_absolute_url() not in page


def test_the_page_shows_times_if_two_rungs_were_measured_at_one_place() -> None:
    tiled, naive = a_rung("2 tiled"), a_rung("1 naive")
    timed(tiled, 100)
    alone = page_of(tiled)
    timed(naive, 900)

    page = page_of(tiled)

    assert "µs" not in alone
    assert "900.0&nbsp;µs" in page and "100.0&nbsp;µs" in page
    assert "NVIDIA H100" in page


def test_a_pair_without_a_ladder_shows_none() -> None:
    assert "Ladder" not in page_of(make.a_pair())


@pytest.mark.parametrize("text", ["", "PERF_CASES = make()", "PERF_CASES = 3", "def ("])
def test_perf_cases_that_are_no_literals_are_ignored(text: str) -> None:
    assert read_perf_cases(text) == []
