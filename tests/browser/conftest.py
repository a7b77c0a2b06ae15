"""A real installation under `manage.py up`, and a real Chromium to look at it."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright
from pytest_django.live_server_helper import LiveServer

from tests.curation.operations.conftest import copy_of_prepared as copy_of_prepared
from tests.curation.operations.conftest import prepared as prepared
from tests.curation.operations.house import House, house
from tests.factories import PASSWORD, a_browser
from tests.waiting import DEADLINE

expect.set_options(timeout=DEADLINE * 1000)


@pytest.fixture
def installation(tmp_path: Path, copy_of_prepared: Callable[[Path], Path]) -> Iterator[House]:
    """An installation on SQLite and the embedded Redis.

    It has its first account, so that `up` does not check the library's pairs on all processors.
    """
    with house(copy_of_prepared(tmp_path / "data"), SWEEP_SECONDS="1") as one:
        yield one


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    # The shell has no window to draw, which takes half of the other's time.
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        if os.environ.get("CI"):
            pytest.fail("CI must have Chromium")
        pytest.skip("Chromium is not installed (apt install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-dev-shm-usage",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                # Fewer processes for each test: no picture is looked at.
                "--disable-gpu",
                "--in-process-gpu",
                "--renderer-process-limit=1",
            ],
        )
        yield browser
        browser.close()


Browse = Callable[..., Page]
Visit = Callable[..., Page]


@pytest.fixture
def browse(chromium: Browser, live_server: LiveServer) -> Iterator[Browse]:
    """Open a browser of its own for each person; no page may log an error."""
    cache.clear()
    contexts, complaints = [], []

    def open_for(name: str = "", *, expected: str = "", **options: Any) -> Page:
        context = chromium.new_context(base_url=live_server.url, reduced_motion="reduce", **options)
        context.set_default_timeout(DEADLINE * 1000)
        contexts.append(context)
        page = context.new_page()

        def listen(message: ConsoleMessage) -> None:
            if message.type == "error" and not (expected and expected in message.text):
                complaints.append(f"{message.text} ({message.location.get('url')})")

        page.on("console", listen)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        if name:
            page.goto("/login/")
            log_in(page, name)
        return page

    yield open_for
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def visit(browse: Browse, live_server: LiveServer, settings: Any) -> Visit:
    """Open a path in the browser of a person who is logged in."""
    settings.SECOND_REVIEW_PERCENT = {}

    def open_at(name: str, path: str = "/", **options: Any) -> Page:
        page = browse(**options)
        page.context.add_cookies([session_of(name, live_server.url)])
        page.goto(path)
        return page

    return open_at


def session_of(name: str, url: str) -> Any:
    """Return the cookie of a person who has just logged in. The form takes 0.5 s a test."""
    cookie = settings.SESSION_COOKIE_NAME
    client = a_browser(User.objects.get(username=name))
    return {"name": cookie, "value": client.cookies[cookie].value, "url": url}


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "/login" not in url)
