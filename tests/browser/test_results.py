"""The Results tab of a pair in a real Chromium."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests import factories as make
from tests.browser.conftest import Visit
from tests.curation.web.test_results import RAISED_EARLY, a_result

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]


def test_a_pair_that_failed_before_any_launch_shows_no_dots(visit: Visit) -> None:
    result = a_result(*RAISED_EARLY, figures={"cases": 20})
    make.a_reviewer(username="ada")
    assert result.pair is not None

    page = visit("ada", f"{result.pair.get_absolute_url()}?tab=results")

    expect(page.locator(".plot")).to_have_count(0)
    expect(page.locator(".checks tbody tr").first).to_contain_text("Failed")
    gradients = page.get_by_role("row", name="Gradients")
    expect(gradients).to_contain_text("the entry declares none")
    assert Axe().run(page).response["violations"] == []


def test_the_plot_of_errors_has_an_axis_with_ticks(visit: Visit) -> None:
    result = a_result(("accuracy", "passed", "right", {"cases": 5, "share_of_allowed": 0.17}))
    make.a_reviewer(username="ada")
    assert result.pair is not None

    page = visit("ada", f"{result.pair.get_absolute_url()}?tab=results")

    for tick in ("≤ 0.0001%", "0.01%", "1%", "100%", "≥ 100 times"):
        expect(page.locator(".plot").get_by_text(tick, exact=True)).to_have_count(1)
    expect(page.locator(".plot")).to_contain_text("17% of the tolerance")
    expect(page.locator(".plot circle.in")).to_have_count(1)
