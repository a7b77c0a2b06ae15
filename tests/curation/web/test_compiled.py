"""Measurements on an item's page: what a binary uses, the compiler's texts, times of a ladder."""

import zlib

import pytest
from django.test import Client

from curation.evidence.ladders import read_perf_cases
from curation.models import Device
from tests import factories as make
from tests.curation.export.training.test_ladders import a_rung, timed

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

FIGURES = {
    "registers": 255, "local_bytes": 1408, "shared_bytes": 32768, "warps": 4, "occupancy": 0.125,
}  # fmt: skip


@pytest.fixture
def address(browser: Client) -> str:
    kernel = make.a_kernel()
    run = make.a_validation_run(device=Device.COMPILER)
    result = make.a_validation_result(run=run, kernel=kernel, figures=FIGURES)
    for name, text in (("ttgir", "tt.func @k"), ("ptx", "ld.global.b32 %r1, [%rd1];")):
        make.a_compiled_text(result=result, name=name, compressed=zlib.compress(text.encode()))
    return kernel.get_absolute_url()


def test_the_tab_shows_resources_and_both_outputs(browser: Client, address: str) -> None:
    page = browser.get(f"{address}?tab=compiled").content.decode()

    for words in (
        "255 registers a thread", "1,408 bytes of local memory a thread",
        "32,768 bytes of shared memory", "12% occupancy of sm_90", "tt.func @k",
        "ld.global.b32 %r1, [%rd1];",
    ):  # fmt: skip
        assert words in page


def test_one_output_can_fill_the_tab(browser: Client, address: str) -> None:
    page = browser.get(f"{address}?tab=compiled&file=ptx").content.decode()

    assert "ld.global.b32" in page
    assert "tt.func @k" not in page


def test_only_a_kernel_with_known_resources_has_a_badge_and_the_tab(
    browser: Client, address: str
) -> None:
    known, unknown = (
        browser.get(url).content.decode() for url in (address, make.a_kernel().get_absolute_url())
    )

    assert "255 registers" in known and "tab=compiled" in known
    assert "tab=compiled" not in unknown


# --- The ladder of a pair -------------------------------------------------------------------
def test_the_page_links_the_other_rungs_in_order(browser: Client) -> None:
    tiled, naive = a_rung("2 tiled"), a_rung("1 naive")
    other = a_rung("1 other", python_code="def scale(x):\n    return x + x\n")

    page = browser.get(tiled.get_absolute_url()).content.decode()

    link = f'<a href="{naive.get_absolute_url()}">1 naive</a>'
    assert "<strong>2 tiled</strong>" in page
    assert page.index(link) < page.index("<strong>2 tiled</strong>")
    assert other.get_absolute_url() not in page


def test_the_page_shows_times_if_two_rungs_were_measured_at_one_place(browser: Client) -> None:
    tiled, naive = a_rung("2 tiled"), a_rung("1 naive")
    timed(tiled, 100, "NVIDIA H100")
    alone = browser.get(tiled.get_absolute_url()).content.decode()
    timed(naive, 900, "NVIDIA H100")

    page = browser.get(tiled.get_absolute_url()).content.decode()

    assert "µs" not in alone
    assert "900.0&nbsp;µs" in page and "100.0&nbsp;µs" in page
    assert "NVIDIA H100" in page


def test_a_pair_without_a_ladder_shows_none(browser: Client) -> None:
    assert "Ladder" not in browser.get(make.a_pair().get_absolute_url()).content.decode()


@pytest.mark.parametrize("text", ["", "PERF_CASES = make()", "PERF_CASES = 3", "def ("])
def test_perf_cases_that_are_no_literals_are_ignored(text: str) -> None:
    assert read_perf_cases(text) == []
