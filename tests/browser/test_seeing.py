"""A reviewer sees each character of what is approved, and copies what was written."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from curation.models import Kernel
from tests import factories as make
from tests.browser.conftest import Visit
from tests.browser.test_review import barriers

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]

SOURCE = (
    "# \u202e } \u2066if is_admin\u2069 \u2066\n"
    "def is_a\u200bdmin(x):\n"
    "    return x  # \u2764\ufe0f\n"
    "plain = 1\n"
)
MAY_COPY: dict[str, Any] = {"permissions": ["clipboard-read", "clipboard-write"]}


def a_kernel(**over: Any) -> Kernel:
    make.a_reviewer(username="ada")
    return make.a_kernel(
        **{"name": "is_a\u200bdmin", "standalone_source": SOURCE, "launcher_source": SOURCE, **over}
    )


def copied(page: Page) -> str:
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_code_point_box_is_visible_and_keeps_the_line_height(visit: Visit, scheme: str) -> None:
    page = visit("ada", a_kernel().get_absolute_url(), color_scheme=scheme)

    box = page.locator("#L1 .cp").first
    expect(box).to_be_visible()
    expect(box).to_have_text("U+202E")
    expect(box).to_have_attribute("title", "RIGHT-TO-LEFT OVERRIDE")
    expect(page.locator("h1 .cp")).to_have_text("U+200B")
    assert page.title() == "is_aU+200Bdmin · Curation"
    heights = page.locator(".code tr").evaluate_all(
        "rows => rows.map((row) => row.getBoundingClientRect().height)"
    )
    assert len(set(heights)) == 1
    # In the order in which it was written: nothing is reordered.
    boxes = page.locator("#L1 .cp").all()
    lefts = [place["x"] for one in boxes if (place := one.bounding_box())]
    assert len(lefts) == 4
    assert lefts == sorted(lefts)


def test_copied_text_contains_the_characters_instead_of_their_boxes(visit: Visit) -> None:
    page = visit("ada", a_kernel().get_absolute_url(), **MAY_COPY)

    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page) == SOURCE

    page.evaluate("""() => {
      const lines = document.querySelectorAll(".code code"), range = document.createRange();
      range.setStart(lines[0], 0);
      range.setEndAfter(lines[2].lastChild);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }""")
    page.keyboard.press("Control+c")
    assert copied(page).split() == "\n".join(SOURCE.split("\n")[:3]).split()
    expect(page.locator("#L1 .cp").first).to_have_text("U+202E")


def test_a_truncated_line_links_to_the_whole_text(visit: Visit) -> None:
    source = f"x = '{'a' * 60_000}'\n"
    kernel = a_kernel(standalone_source=source)
    page = visit("ada", kernel.get_absolute_url(), **MAY_COPY)

    cut = page.get_by_role("link", name="58,006 more characters")
    # In sight without scrolling to the end of the line.
    expect(cut).to_be_in_viewport()
    with page.expect_download() as download:
        cut.click()
    assert download.value.path().read_text() == source

    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied without cut parts")).to_be_visible()
    assert copied(page) == f"{source[:2000]}\n"


def test_axe_finds_no_barriers_on_a_page_with_code_point_boxes(visit: Visit) -> None:
    make.a_curator(username="eve")
    kernel = a_kernel(standalone_source=f"{SOURCE}x = '{'a' * 3000}'\n")
    pair = make.a_pair(python_code=SOURCE, triton_code=SOURCE, test_code=SOURCE)
    make.a_finding(kernel=kernel, passed=False, message="a\u200b")
    twin = make.a_kernel(name="twin\u2066", standalone_source=SOURCE.replace("\u2066", ""))
    make.a_duplicate_link(kernel=twin, of_kernel=kernel)
    page = visit("eve")
    found: dict[str, Any] = {}
    item, pair_page = kernel.get_absolute_url(), pair.get_absolute_url()
    for path in (item, f"{item}?tab=diff", pair_page, f"{pair_page}edit", "/find"):
        page.goto(path)
        for summary in page.locator(".claims summary, .about > summary").all():
            summary.click()
        found |= barriers(page, "light") | barriers(page, "dark")

    assert found == {}
