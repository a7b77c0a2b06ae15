"""The forms of an item in a real Chromium: decisions stay as typed, edits are checked and shown."""

from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from curation.models import Decision, DecisionReason, Kernel
from tests import factories as make
from tests.browser.conftest import Visit
from tests.browser.test_review import heading, press

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]

REASON = "The mask is off by one"
TYPED = {
    "operation_type": "attention",
    "difficulty": "hard",
    "tags": "my, tags",
    "reason": [REASON],
    "comment": "three long thoughts",
}


def two_kernels() -> tuple[Kernel, Kernel]:
    """The second comes after the first in the queue."""
    DecisionReason.objects.all().delete()
    make.a_reason(text=REASON)
    kinds = {"operation_type": "softmax", "difficulty": "easy", "tags": ["online"]}
    first = make.a_kernel(name="first", priority=2, launcher_source="def run(): ...\n", **kinds)
    return first, make.a_kernel(name="second", priority=1, **kinds)


def fill(page: Page) -> None:
    page.get_by_label("Operation type").select_option("attention")
    page.get_by_label("Difficulty").select_option("hard")
    page.get_by_label("Tags").fill("my, tags")
    page.get_by_text("Reasons", exact=True).click()
    page.get_by_label(REASON).check()
    page.get_by_placeholder("Comment").fill("three long thoughts")
    page.keyboard.press("Escape")


def form(page: Page) -> object:
    return page.evaluate(
        """() => {
          const sent = new FormData(document.querySelector(".decide"));
          const names = ["operation_type", "difficulty", "tags", "comment"];
          return {...Object.fromEntries(names.map(name => [name, sent.get(name)])),
                  reason: sent.getAll("reason")};
        }"""
    )


def change_tab(page: Page) -> None:
    page.get_by_role("link", name="Launcher").click()
    expect(page.locator(".tabs [aria-current]")).to_have_text("Launcher")


def pin(page: Page) -> None:
    page.get_by_role("button", name="Pin", exact=True).click()
    expect(page.get_by_role("button", name="Unpin")).to_be_visible()


def fail(page: Page) -> None:
    page.context.set_offline(True)
    press(page, "a")
    expect(page.locator(".message.error")).to_contain_text("The connection failed")
    page.context.set_offline(False)


def reload_page(page: Page) -> None:
    page.goto(page.url.partition("?")[0])


def undo_another_and_come_back(page: Page) -> None:
    address = page.url
    press(page, "u")
    assert heading(page) == "decided"
    page.goto(address)


EVENTS: dict[str, Callable[[Page], None]] = {
    "a change of tab": change_tab,
    "a pin": pin,
    "a failed request": fail,
    "a reload": reload_page,
    "an undo of another item": undo_another_and_come_back,
}


@pytest.mark.parametrize("event", EVENTS)
def test_a_decision_form_keeps_its_values_after(event: str, visit: Visit) -> None:
    make.a_kernel(name="decided", priority=3)
    two_kernels()
    make.a_curator(username="ada")
    page = visit("ada", expected="ERR_INTERNET_DISCONNECTED")
    press(page, "a")
    assert heading(page) == "first"
    fill(page)

    EVENTS[event](page)

    assert heading(page) == "first"
    assert form(page) == TYPED


def test_the_form_of_a_refused_decision_survives_a_reload(visit: Visit) -> None:
    first, _ = two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada", expected="409")
    fill(page)
    Kernel.objects.filter(pk=first.pk).update(version=2)
    press(page, "r")
    expect(page.locator(".message.error")).to_contain_text("has changed")

    reload_page(page)

    assert form(page) == TYPED


def test_form_values_are_kept_separately_for_each_item(visit: Visit) -> None:
    first, second = two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada")
    fill(page)

    page.goto(second.get_absolute_url())
    other = form(page)
    page.goto(first.get_absolute_url())

    assert other == {
        "operation_type": "softmax", "difficulty": "easy", "tags": "online", "reason": [],
        "comment": "",
    }  # fmt: skip
    assert form(page) == TYPED


def test_the_form_is_cleared_after_the_decision(visit: Visit) -> None:
    first, _ = two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada")
    fill(page)
    press(page, "r")

    page.goto(first.get_absolute_url())

    assert page.get_by_placeholder("Comment").input_value() == ""


@pytest.mark.parametrize("scripts", [True, False])
def test_undo_restores_the_form_of_the_decision(visit: Visit, scripts: bool) -> None:
    two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada", java_script_enabled=scripts)
    fill(page)
    page.locator("button.reject").click()
    expect(page.locator("h1")).to_have_text("second")

    page.get_by_role("button", name="Undo").click()
    expect(page.locator("h1")).to_have_text("first")
    page.locator("button.reject").click()
    expect(page.locator("h1")).to_have_text("second")

    again, undoing, before = Decision.objects.order_by("-pk")
    assert undoing.undoes == before
    assert (again.reasons, again.comment) == (before.reasons, before.comment) == (
        [REASON], "three long thoughts",
    )  # fmt: skip
    assert again.correction.after == before.correction.after


def test_undo_shows_the_reason_that_was_chosen_by_shortcut(visit: Visit) -> None:
    two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada")
    press(page, "1")

    press(page, "u")

    expect(page.get_by_label(REASON)).to_be_checked()
    expect(page.get_by_label(REASON)).to_be_visible()


def test_a_reason_chosen_by_shortcut_is_kept_when_the_request_fails(visit: Visit) -> None:
    two_kernels()
    make.a_reviewer(username="ada")
    page = visit("ada", expected="ERR_INTERNET_DISCONNECTED")
    page.context.set_offline(True)
    press(page, "1")
    page.context.set_offline(False)

    reload_page(page)

    expect(page.get_by_label(REASON)).to_be_checked()


def test_the_editor_numbers_lines_and_indents_by_tab(visit: Visit) -> None:
    pair = make.a_pair(python_code="def run():\nreturn 1\n")
    make.a_curator(username="ada")
    page = visit("ada", f"{pair.get_absolute_url()}edit", viewport={"width": 1280, "height": 700})
    text = page.get_by_label("python_code.py")
    expect(page.locator(".numbered pre").first).to_have_text("1\n2\n3")
    expect(page.get_by_role("button", name="Save as a new version")).to_be_in_viewport()

    text.press("Control+Home")
    text.press("ArrowDown")
    text.press("Tab")
    expect(text).to_have_value("def run():\n    return 1\n")
    text.press("Control+a")
    text.press("Tab")
    expect(text).to_have_value("    def run():\n        return 1\n")
    text.press("Control+z")
    expect(text).to_have_value("def run():\n    return 1\n")
    text.press("Escape")
    page.keyboard.press("Tab")

    expect(page.get_by_label("triton_code.py")).to_be_focused()


def test_a_comment_is_sent_by_ctrl_enter_and_shown_at_its_line(visit: Visit) -> None:
    kernel = make.a_kernel(standalone_source=f"x = 1\ny = {'1 + ' * 200}1\n")
    make.a_reviewer(username="ada")
    page = visit("ada", kernel.get_absolute_url())
    page.locator("#L2").hover()
    page.locator(".talk-here").click()

    field = page.get_by_label("Comment", exact=True).first
    field.fill("Why?")
    box, pane = field.bounding_box(), page.locator(".source .scroll").first.bounding_box()
    assert box and pane and box["x"] + box["width"] <= pane["x"] + pane["width"]
    page.keyboard.press("Control+Enter")

    expect(page.locator("tr.note")).to_contain_text("Why?")
    assert page.url.endswith("?tab=standalone#L2")


@pytest.mark.any_database
def test_the_exports_page_fits_a_phone_and_shows_its_downloads(visit: Visit) -> None:
    ada = make.a_curator(username="ada")
    for name in ("2026.11", "2026.12-with-a-long-name"):
        make.an_export_run(
            name=name, state="succeeded", requested_by=ada, archive="a.tar.gz",
            finished_at=timezone.now(), message="11 kernels in 3 files.",
        )  # fmt: skip

    page = visit("ada", "/exports/", viewport={"width": 390, "height": 844})

    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    box = page.get_by_role("link", name="Download").first.bounding_box()
    assert box
    assert box["x"] + box["width"] <= 390
