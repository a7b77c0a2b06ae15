"""Lists, folded signatures, linked lines and their values in a real Chromium."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from curation.models import Kernel, Pair
from tests import factories as make
from tests.browser.conftest import Visit
from tests.validation.test_line_values import a_library_pair, line_of
from validation.jobs import try_case
from validation.run_requests import request_case

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

PYTHON = "import torch\n\n\ndef total(x):\n    shifted = x + 1\n    return shifted.sum(dim=-1)\n"
PARAMETERS = "".join(f"    stride_{number},\n" for number in range(12))
TRITON = (
    "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef total_kernel(\n    x_ptr,\n"
    f"{PARAMETERS}):\n    x = tl.load(x_ptr)\n    tl.store(x_ptr, tl.sum(x, axis=0))\n"
)


def test_a_ticked_filter_lists_at_once_and_ticked_rows_are_counted(visit: Visit) -> None:
    make.a_curator(username="eve")
    for operation in ("matmul", "matmul", "softmax"):
        make.a_kernel(operation_type=operation)
    page = visit("eve", "/find")

    page.get_by_role("checkbox", name="matmul 2").check()
    expect(page.locator("tbody [name=id]")).to_have_count(2)
    assert "operation=matmul" in page.url
    expect(page.locator("[name=operation][value=matmul]")).to_be_focused()
    page.get_by_label("Select all on this page").check()
    expect(page.locator("[data-picked]")).to_have_text("2 selected")
    page.get_by_role("button", name="Bulk decision on selected").click()

    assert page.url.count("id=") == Kernel.objects.filter(operation_type="matmul").count()


def test_an_opened_filter_counts_its_values_and_leaves_the_address_clean(visit: Visit) -> None:
    make.a_curator(username="eve")
    for tags in (["fp8"], ["fp8"], ["split-k"]):
        make.a_kernel(tags=tags)
    page = visit("eve", "/find")

    page.locator("#filter-tag summary").click()
    page.get_by_role("checkbox", name="fp8 2").check()
    expect(page.locator("tbody [name=id]")).to_have_count(2)
    expect(page.get_by_role("checkbox", name="split-k 1")).to_be_visible()
    page.get_by_label("Search in code and names").fill("kernel")
    page.get_by_label("Search in code and names").press("Enter")
    expect(page.get_by_text("Search: kernel")).to_be_visible()

    assert page.url.partition("?")[2] == "q=kernel&tag=fp8"


def test_the_keys_are_an_overlay_of_the_page_that_decides_nothing(visit: Visit) -> None:
    make.a_reviewer(username="rhea")
    kernel = make.a_kernel()
    page = visit("rhea", kernel.get_absolute_url())

    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys.get_by_text("Undo your last decision")).to_be_visible()
    expect(keys.get_by_text("Edit a pair")).to_have_count(0)
    expect(keys.get_by_text("exports")).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    page.keyboard.press("?")
    expect(keys).to_have_count(0)

    assert page.url.endswith(kernel.get_absolute_url())
    kernel.refresh_from_db()
    assert kernel.status == "pending"


def test_a_long_signature_is_folded_and_lines_of_one_operation_are_linked(visit: Visit) -> None:
    make.a_curator(username="eve")
    pair: Pair = make.a_pair(python_code=PYTHON, triton_code=TRITON, entry_point="total")
    page = visit("eve", pair.get_absolute_url())

    expect(page.locator("#triton_code-9")).to_be_hidden()
    page.get_by_role("button", name="13 lines of parameters").click()
    expect(page.locator("#triton_code-9")).to_be_visible()
    page.locator("#python_code-6 code").hover()
    expect(page.locator("#triton_code-22")).to_have_class("linked")
    page.locator("#triton_code-21 code").hover()

    linked = page.locator("tr.linked").evaluate_all("rows => rows.map((row) => row.id)")
    assert linked == ["python_code-4", "python_code-5", "triton_code-21"]


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
    # Axe itself is a script.
    assert Axe().run(visit("ada", page.url)).response["violations"] == []
