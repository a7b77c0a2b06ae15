"""From an invitation to the first decision, and one's own account, in a real Chromium."""

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from curation.models import Decision
from tests import factories as make
from tests.showcase import furnish

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.any_database, pytest.mark.slow]

NEW = "a much longer phrase"


def choose_password(page: Page, password: str = NEW) -> None:
    page.get_by_label("New password", exact=True).fill(password)
    page.get_by_label("New password confirmation").fill(password)


def open_menu(page: Page, entry: str) -> None:
    page.locator(".who summary").click()
    page.locator(".who").get_by_role("link", name=entry, exact=True).click()


def check_page(page: Page) -> None:
    """Neither a barrier that axe finds, nor a scroll bar at the bottom of a phone."""
    violations = Axe().run(page).response["violations"]
    assert [(page.url, one["id"], one["nodes"][0]["html"][:100]) for one in violations] == []
    size = page.viewport_size
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390, page.url
    assert size
    page.set_viewport_size(size)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_reviewer_goes_from_an_invitation_to_the_first_decision(
    browse: Any, scripts: bool
) -> None:
    def check(page: Page) -> None:
        # Axe itself is a script.
        if scripts:
            check_page(page)

    furnish()
    make.a_curator(username="eve")
    curator = browse("eve", java_script_enabled=scripts, expected="410")
    open_menu(curator, "People")
    curator.get_by_label("Name", exact=True).fill("rhea")
    curator.get_by_role("button", name="Create link").click()
    link = curator.get_by_label("Send this link").input_value()
    check(curator)

    newcomer = browse(java_script_enabled=scripts, expected="400")
    newcomer.goto(link)
    expect(newcomer.locator("h1")).to_have_text("Welcome, rhea")
    check(newcomer)
    choose_password(newcomer, "abc")
    newcomer.get_by_role("button", name="Create account").click()
    expect(newcomer.locator(".errorlist")).to_contain_text("too short")
    check(newcomer)
    choose_password(newcomer)
    newcomer.get_by_role("button", name="Create account").click()
    expect(newcomer.locator(".messages")).to_contain_text("Your account is ready")
    first = newcomer.locator("h1").inner_text()
    newcomer.locator("button.approve").click()
    expect(newcomer.locator(".messages")).to_contain_text(f"{first} is approved")

    decision = Decision.objects.get()
    assert (str(decision.user), str(decision.item)) == ("rhea", first)
    open_menu(curator, "People")
    expect(curator.get_by_role("row", name="rhea")).to_contain_text("reviewer")
    curator.goto(f"{link}x")
    expect(curator.locator("h1")).to_have_text("This link does not work")
    check(curator)


def test_a_new_token_is_copied_by_a_button(browse: Any) -> None:
    make.a_reviewer(username="rhea")
    page = browse("rhea", permissions=["clipboard-read", "clipboard-write"])
    open_menu(page, "Account")
    page.get_by_label("Label").fill("nightly")
    page.get_by_role("button", name="Create token").click()
    check_page(page)
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()

    secret = page.get_by_label("Copy the new token").input_value()
    assert page.evaluate("navigator.clipboard.readText()") == secret
    page.get_by_role("button", name="Revoke nightly").click()
    expect(page.locator(".messages")).to_contain_text("Token nightly of rhea revoked")


def test_the_checklist_marks_a_step_as_done_after_a_decision(browse: Any) -> None:
    furnish()
    make.a_curator(username="eve")
    page = browse("eve")
    open_menu(page, "Getting started")
    check_page(page)
    expect(page.locator(".steps h2")).to_contain_text(["To do", "To do", "To do", "To do"])
    page.get_by_role("link", name="Open the queue").click()
    page.locator("button.approve").click()
    expect(page.locator(".messages")).to_contain_text("is approved")

    open_menu(page, "Getting started")

    expect(page.locator(".steps h2")).to_contain_text(["To do", "Done", "To do", "To do"])
    expect(page.locator(".steps .done")).to_contain_text("1 decision by 1 person")
