"""Code on an item's page in a real Chromium: uses of a name, wrapped lines, files of a pair."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests import factories as make
from tests.browser.conftest import Visit

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]

PYTHON = "import torch\n\n\ndef scaled(x, factor):\n    return factor * x\n"
TRITON = """\
import torch
import triton
import triton.language as tl


@triton.jit
def scaled_kernel(x_ptr, out_ptr, factor, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, factor * tl.load(x_ptr + offsets))


def scaled(x, factor):
    out = torch.empty_like(x)
    scaled_kernel[(1,)](x, out, factor, BLOCK=x.numel())
    return out
"""


@pytest.fixture
def page(visit: Visit) -> Page:
    make.a_reviewer(username="ada")
    pair = make.a_pair(python_code=PYTHON, triton_code=TRITON)
    return visit("ada", pair.get_absolute_url())


def test_all_uses_of_a_name_are_marked_under_the_pointer(page: Page) -> None:
    page.get_by_text("factor", exact=True).first.hover()

    # Both files: two in the reference, five in the Triton code.
    expect(page.locator(".use")).to_have_count(6)

    page.locator("h1").hover()
    expect(page.locator(".use")).to_have_count(0)


def test_a_selected_name_stays_marked(page: Page) -> None:
    page.get_by_text("x_ptr", exact=True).first.dblclick()
    page.locator("h1").hover()

    expect(page.locator(".use")).to_have_count(2)


def test_a_continued_line_is_indented_further_than_its_start(page: Page) -> None:
    page.get_by_role("button", name="Wrap").click()

    line = page.locator(".code td > code", has_text="tl.store")
    assert line.evaluate("one => one.style.getPropertyValue('--indent')") == "4"
    left, width = line.evaluate(
        "one => [parseFloat(getComputedStyle(one).paddingLeft),"
        " parseFloat(getComputedStyle(one).textIndent)]"
    )
    assert left == -width > 0


def test_a_splitter_moves_by_keys_and_keeps_its_place(page: Page) -> None:
    splitter = page.get_by_role("separator")
    expect(splitter).to_have_attribute("aria-valuenow", "45")

    splitter.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(splitter).to_have_attribute("aria-valuenow", "35")

    page.reload()
    expect(page.get_by_role("separator")).to_have_attribute("aria-valuenow", "35")
    assert Axe().run(page).response["violations"] == []


def test_one_file_fills_the_page_and_all_files_come_back(page: Page) -> None:
    page.get_by_role("link", name="triton_code.py").click()
    expect(page.locator(".panes section")).to_have_count(1)
    expect(page.locator(".panes")).to_contain_text("scaled_kernel")

    page.get_by_role("link", name="All files").click()
    expect(page.locator(".panes section")).to_have_count(3)


def test_on_a_phone_the_buttons_stay_at_the_bottom(visit: Visit) -> None:
    make.a_reviewer(username="ada")
    pair = make.a_pair(python_code=PYTHON, triton_code=TRITON)

    page = visit("ada", pair.get_absolute_url(), viewport={"width": 390, "height": 740})

    expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()
