"""Code on an item's page in a real Chromium: uses of a name, wrapped lines, files of a pair."""

from typing import Any

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

    # Those of a selected name stay.
    page.get_by_text("x_ptr", exact=True).first.dblclick()
    page.locator("h1").hover()
    expect(page.locator(".use")).to_have_count(2)


def test_a_continued_line_is_indented_further_than_its_start(page: Page) -> None:
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


LONG = f"x = '{'a' * 400}'"
HELPERS = "".join(f"\n\n@triton.jit\ndef helper_{n}(x):\n    return x\n" for n in range(30))
UNIT = f"import triton\n{HELPERS}\n\n@triton.jit\ndef kernel(x):\n    helper_3(x)\n    {LONG}\n"


def of_a_kernel(visit: Visit, **options: Any) -> Page:
    make.a_reviewer(username="ada")
    kernel = make.a_kernel(name="kernel", standalone_source=UNIT, function_source=UNIT)
    return visit("ada", kernel.get_absolute_url(), **options)


def test_keys_move_between_functions_and_tabs_and_unfold_the_helpers(visit: Visit) -> None:
    page = of_a_kernel(visit)
    page.evaluate("window.kept = true")
    helper = page.locator(".code tr", has_text="def helper_0(")
    expect(page.locator(".code tr", has_text="def kernel(")).to_be_in_viewport()
    expect(helper).not_to_be_visible()

    page.keyboard.press("]")
    expect(helper).to_be_in_viewport()
    page.keyboard.press("[")
    expect(page.locator(".code tr", has_text="def kernel(")).to_be_in_viewport()

    page.locator(".code a.n", has_text="helper_3").click()
    expect(page.locator(".code tr", has_text="def helper_3(")).to_be_in_viewport()
    assert page.evaluate("window.kept")

    page.keyboard.press("}")
    expect(page.locator(".tabs > [aria-current]")).to_have_text("In its file")
    page.keyboard.press("{")
    expect(page.locator(".tabs > [aria-current]")).to_have_text("Standalone")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_long_line_is_wrapped(visit: Visit, scripts: bool) -> None:
    page = of_a_kernel(visit, java_script_enabled=scripts)

    scroll = page.locator(".source > .scroll")
    widths = "one => [one.scrollWidth, one.clientWidth]"
    assert len(set(scroll.evaluate(widths))) == 1

    if scripts:
        page.keyboard.press("w")
        page.reload()
        assert len(set(scroll.evaluate(widths))) == 2


def test_approve_is_few_tab_presses_away(visit: Visit) -> None:
    page = of_a_kernel(visit)

    page.get_by_role("link", name="Skip to the decision").focus()
    page.keyboard.press("Enter")
    for presses in range(12):  # noqa: B007 - used below
        if page.evaluate("document.activeElement.matches('.approve')"):
            break
        page.keyboard.press("Tab")

    expect(page.get_by_role("button", name="Approve")).to_be_focused()
    assert presses < 10


@pytest.mark.parametrize("viewport", [(390, 740), (720, 450)], ids=["phone", "200% zoom"])
def test_on_a_small_screen_the_evidence_is_above_the_code_and_the_buttons_stay(
    visit: Visit, viewport: tuple[int, int]
) -> None:
    page = of_a_kernel(visit, viewport={"width": viewport[0], "height": viewport[1]})

    tops = page.evaluate(
        "[...document.querySelectorAll('.claims, .source, .decide')]"
        ".map((one) => [one.getBoundingClientRect().top, one.classList[0]])"
    )
    assert [name for _, name in sorted(tops)] == ["claims", "source", "decide"]
    expect(page.get_by_role("button", name="Approve")).to_be_in_viewport()


def test_a_signature_is_folded_up_to_its_own_end(visit: Visit) -> None:
    make.a_reviewer(username="ada")
    parameters = "".join(f"    parameter_{n},\n" for n in range(12))
    functions = [f"def f{n}(\n{parameters}    ):\n    body_{n}()\n" for n in range(2)]
    kernel = make.a_kernel(name="f0", standalone_source="\n\n".join(functions))

    page = visit("ada", kernel.get_absolute_url())

    expect(page.get_by_text("… 12 lines of parameters").first).to_be_visible()
    expect(page.get_by_text("body_0()")).to_be_visible()
