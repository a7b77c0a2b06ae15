"""The values of a kernel's lines in a real Chromium."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests import factories as make
from tests.browser.conftest import Visit
from tests.validation.test_line_values import a_library_pair, line_of
from validation.jobs import try_case
from validation.run_requests import request_case

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]


def test_values_and_the_marked_line_are_read_on_a_phone_without_scripts(visit: Visit) -> None:
    faulty = "for first in range(1, size_k, BLOCK_K)"
    pair = a_library_pair("matmul", faulty.replace("1", "0"), faulty)
    make.a_reviewer(username="ada")
    run = request_case(pair, place=3, instead={}, change="", program="0, 1", requested_by=None)
    try_case(run.pk)
    viewport = {"width": 390, "height": 844}

    page = visit(
        "ada", f"{pair.get_absolute_url()}?tab=values", viewport=viewport, java_script_enabled=False
    )

    line = line_of(pair, faulty)
    expect(page.locator(".values tr.marked")).to_have_attribute("id", f"V{line}")
    expect(page.locator(f"#V{line}")).to_contain_text("first: int 97")
    page.locator(f"#V{line} summary").press("Enter")
    expect(page.locator(f"#V{line} li").first).to_have_text("first: int 1")
    expect(page.locator("#id_program, [name=program]")).to_have_value("0, 1")


def test_the_tab_has_no_fault_that_axe_sees(visit: Visit) -> None:
    pair = a_library_pair("add")
    make.a_reviewer(username="ada")
    try_case(request_case(
        pair, place=0, instead={}, change="", program="0", requested_by=None
    ).pk)  # fmt: skip

    page = visit("ada", f"{pair.get_absolute_url()}?tab=values")

    expect(page.locator(".values")).to_contain_text("pid: int32 0")
    assert Axe().run(page).response["violations"] == []
