"""Reviewing in a real Chromium: by keyboard, by two at once, and when things go wrong."""

from typing import Any, Literal

import pytest
import redis
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from playwright.sync_api import Page, expect

from curation.models import Decision, Draft, Kernel, Pair, SecondReview, Status, ValidationRun
from curation.sources.load import load_sources
from tests import factories as make
from tests.browser.conftest import Visit, log_in
from tests.showcase import furnish, remember

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


def heading(page: Page) -> str:
    return page.locator("h1").inner_text()


# Keys that decide have no effect so soon after the page appeared, or after another key.
PAUSE = 720


def press(page: Page, key: str) -> None:
    """Press a key and wait until the page is another one."""
    page.wait_for_timeout(PAUSE)
    before = page.locator(".messages").inner_text() + heading(page)
    page.keyboard.press(key)
    page.wait_for_function(
        "before => document.querySelector('.messages').innerText"
        " + document.querySelector('h1').innerText !== before",
        arg=before,
    )


def test_twenty_items_can_be_reviewed_with_the_keyboard_only(visit: Visit) -> None:
    furnish()
    make.a_reviewer(username="ada")
    page = visit("ada")
    first = heading(page)

    press(page, "s")  # skipped: it does not come back while others wait
    for _ in range(17):
        press(page, "a")
    press(page, "1")
    press(page, "u")  # taken back: the same item is shown again
    assert Decision.objects.latest("pk").undoes is not None
    undone = heading(page)
    page.keyboard.press("c")
    page.keyboard.type("a remark, with the letters a and r in it")
    page.keyboard.press("Escape")
    press(page, "1")
    press(page, "a")

    made = Decision.objects.filter(undoes=None)
    assert made.count() == 20
    by_reason = made.get(comment__startswith="a remark")
    assert (str(by_reason.item), len(by_reason.reasons)) == (undone, 1)
    assert first not in {str(row.item) for row in made}
    expect(page.locator("h1")).to_be_focused()


@pytest.mark.any_database
def test_shortcuts_can_be_switched_off(visit: Visit) -> None:
    furnish()
    make.a_reviewer(username="ada")
    page = visit("ada")
    page.locator(".who summary").click()
    page.get_by_label("Keyboard shortcuts").uncheck()
    page.locator("h1").click()

    page.keyboard.press("a")
    page.keyboard.press("?")
    page.wait_for_timeout(300)

    assert "/kernels/" in page.url
    assert not Decision.objects.exists()


def test_a_sentence_typed_beside_its_field_decides_nothing(visit: Visit) -> None:
    kernel = make.a_provenance().kernel
    make.a_reviewer(username="ada")
    page = visit("ada")

    with page.expect_popup():  # By the key O: the source upstream.
        page.keyboard.type("reads well, approve as it is", delay=110)

    assert kernel.get_absolute_url() in page.url
    assert not Decision.objects.exists()
    page.wait_for_timeout(PAUSE)
    press(page, "a")
    assert Decision.objects.count() == 1


def test_looking_from_a_list_holds_no_item_until_the_first_key(visit: Visit) -> None:
    kernel = make.a_kernel()
    for name in ("ada", "bob"):
        make.a_reviewer(username=name)
    ada = visit("ada", kernel.get_absolute_url())
    bob = visit("bob", kernel.get_absolute_url())
    expect(bob.locator("button.approve")).to_be_enabled()

    with ada.expect_response("**/claim"):
        ada.keyboard.press("c")
    bob.keyboard.press("c")
    expect(bob.locator(".message.error")).to_contain_text("ada is reviewing this now")
    bob.reload()

    expect(bob.locator(".banner")).to_contain_text("ada is reviewing this")


def test_a_case_that_waits_in_one_tab_leaves_the_claim_to_another(visit: Visit) -> None:
    pair = make.a_pair()
    make.a_reviewer(username="ada")
    page = visit("ada")
    make.a_tried_case(pair=pair)
    token = pair.claims.get().token

    page.goto(f"{pair.get_absolute_url()}?tab=try")
    other = page.context.new_page()
    other.goto(pair.get_absolute_url())
    page.wait_for_timeout(4_500)  # Two polls of the live part.
    other.close(run_before_unload=True)

    assert pair.claims.get().token == token


def test_a_reviewer_opens_a_diff_from_a_search_and_settles_a_cluster(visit: Visit) -> None:
    kernel = furnish()
    make.a_curator(username="ada")
    page = visit("ada", "/find")

    page.keyboard.press("/")
    page.keyboard.type("rotate_kernel(")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="rotate_kernel", exact=True).click()
    page.get_by_role("link", name="Diff 1").click()
    expect(page.locator(".diff")).to_contain_text("tl.debug_barrier()")
    expect(page.locator(".note")).to_contain_text("1 line differs")
    page.get_by_role("button", name="Approve this, reject its near-duplicates").click()
    expect(page.locator(".messages")).to_contain_text("2 items in all")

    assert set(Kernel.objects.filter(name__startswith="rotate").values_list("name", "status")) == {
        ("rotate_kernel", "approved"), ("rotate_copy", "rejected"),
    }  # fmt: skip
    assert kernel.pk


@pytest.mark.any_database
def test_a_decision_resent_after_a_lost_connection_is_made_once(visit: Visit) -> None:
    make.a_kernel(name="far_away")
    make.a_reviewer(username="ada")
    page = visit("ada", expected="ERR_INTERNET_DISCONNECTED")
    page.get_by_placeholder("Comment").fill("typed in a tunnel")
    page.keyboard.press("Escape")

    page.context.set_offline(True)
    press(page, "a")
    expect(page.locator(".message.error")).to_contain_text("The connection failed")
    expect(page.get_by_placeholder("Comment")).to_have_value("typed in a tunnel")
    page.context.set_offline(False)
    press(page, "a")

    assert Decision.objects.get().comment == "typed in a tunnel"


@pytest.mark.any_database
def test_a_comment_survives_the_end_of_the_session(visit: Visit) -> None:
    kernel = make.a_kernel(name="slow_thought")
    make.a_reviewer(username="ada")
    page = visit("ada")
    page.get_by_placeholder("Comment").fill("half a sentence")
    page.keyboard.press("Escape")
    Session.objects.all().delete()

    press(page, "a")
    expect(page.locator(".message.error")).to_contain_text("Your session has ended")
    with page.context.expect_page() as other_tab:
        page.get_by_role("link", name="Log in").click()
    log_in(other_tab.value, "ada")
    expect(page.get_by_placeholder("Comment")).to_have_value("half a sentence")
    press(page, "a")

    kernel.refresh_from_db()
    assert Decision.objects.get().comment == "half a sentence"


@pytest.mark.any_database
def test_reviewing_works_without_javascript(visit: Visit) -> None:
    furnish()
    make.a_curator(username="ada")
    page = visit("ada", java_script_enabled=False)
    first = heading(page)

    page.get_by_role("link", name="History", exact=True).last.click()
    expect(page.get_by_text("No decisions yet")).to_be_visible()
    page.get_by_text("Reasons").click()
    page.get_by_label("Incorrect result").check()
    page.get_by_placeholder("Comment").fill("no scripts")
    page.get_by_role("button", name="Reject", exact=True).click()
    expect(page.locator(".messages")).to_contain_text(f"{first} is rejected")
    page.get_by_role("button", name="Undo").click()
    assert heading(page) == first
    page.get_by_role("button", name="Skip").click()
    assert heading(page) != first
    page.goto("/find")
    page.get_by_placeholder("Search code").fill("debug_barrier")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("status").filter(has_text="found")).to_contain_text("2 found")


@pytest.mark.any_database
def test_no_page_has_a_barrier_for_axe_or_scrolls_sideways_on_a_phone(visit: Visit) -> None:
    kernel = furnish()
    make.a_curator(username="curator")
    load_sources()
    make.a_copy_flag(kernel=kernel)
    make.a_contamination_match(kernel=kernel)
    remember()
    decided = Decision.objects.filter(status=Status.REJECTED)[0].item
    pair = Pair.objects.get()
    make.a_pair(previous=pair, author=User.objects.get(username="ada"), test_code="CASES = []\n")
    page = visit("curator", expected="404")
    item = kernel.get_absolute_url()
    disputed = SecondReview.objects.get(state="disputed").item.get_absolute_url()
    paths = [
        item, f"{item}?tab=file", f"{item}?tab=launcher", f"{item}?tab=diff",
        f"{item}?tab=diff&layout=inline", f"{item}?tab=history",
        f"{item}?tab=alike", f"{item}question", pair.get_absolute_url(),
        f"{pair.get_absolute_url()}?tab=results", f"{pair.get_absolute_url()}edit",
        Pair.objects.latest("pk").get_absolute_url(),
        f"{Pair.objects.latest('pk').get_absolute_url()}?tab=diff", decided.get_absolute_url(),
        f"{decided.get_absolute_url()}?tab=history", "/find?status=pending", "/find?items=pairs",
        "/find?q=nothing-like-this", "/?q=nothing-like-this", "/bulk", "/bulk?status=pending",
        "/dashboard", "/history", "/exports/", "/account", "/keys", "/guide", "/welcome",
        "/people", "/account/password", "/nowhere",
        disputed, f"{disputed}?tab=history", "/find?disputed=yes",
        "/drafts/", "/drafts/?missing=gone", Draft.objects.earliest("pk").get_absolute_url(),
        "/runs/", "/runs/?kind=export&state=cancelled",
        *(run.get_absolute_url() for run in make.runs_of_all_kinds()),
    ]  # fmt: skip

    found: dict[str, list[Any]] = {}
    for number, path in enumerate(paths):
        page.set_viewport_size({"width": 360, "height": 740})
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
        page.set_viewport_size({"width": 1280, "height": 800})
        page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
        # All pages share their colors: each is looked at in one scheme.
        found |= barriers(page, "dark" if number % 2 else "light")
    page.context.clear_cookies()
    page.goto("/login/")
    found |= barriers(page, "light")
    assert found == {}


def barriers(page: Page, scheme: Literal["light", "dark"]) -> dict[str, list[Any]]:
    page.emulate_media(color_scheme=scheme)
    return {
        f"{page.url}, {scheme}: {one['id']}": [node["html"][:120] for node in one["nodes"][:3]]
        for one in Axe().run(page).response["violations"]
    }


@pytest.mark.any_database
def test_a_run_page_updates_live_and_can_cancel_and_retry(
    visit: Visit, queue_redis: redis.Redis
) -> None:
    make.a_curator(username="ada")
    pair = make.a_pair()
    run = make.a_validation_run(
        **make.running(stage="checking", done=1, total=4), batch=make.batch(pair)
    )
    page = visit("ada", "/runs/")
    expect(page.locator("#list")).to_contain_text("1 of 4, 25%")

    ValidationRun.objects.update(done=3, log="2026-11-25 14:00:00 checking")
    expect(page.locator("#list")).to_contain_text("3 of 4, 75%")
    page.get_by_role("link", name=run.label).click()
    expect(page.locator(".log")).to_contain_text("checking")
    ValidationRun.objects.update(log="2026-11-25 14:00:00 checking\n2026-11-25 14:00:09 odd")
    expect(page.locator(".log")).to_contain_text("odd")

    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#run")).to_contain_text("Cancelled by ada.")
    page.get_by_role("button", name="Retry 1 crashed or without a result").click()
    expect(page.locator("body")).to_contain_text(f"is queued: it retries {run.label}.")
    new = ValidationRun.objects.get(retry_of=run)
    expect(page.get_by_role("heading", name=new.label)).to_be_visible()
    expect(page.get_by_role("link", name=run.label, exact=True)).to_be_visible()
