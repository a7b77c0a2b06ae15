"""Takes the pictures of the documentation from a running installation, or all pages to look at.

python manage.py shell -c "from tests.showcase import *; furnish(); remember()"
python docs/take_pictures.py http://127.0.0.1:8000 curator PASSWORD [FOLDER]

With a FOLDER it takes every page there, light, dark and as on a phone; without one only what the
documentation shows.
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).with_name("pictures")
LOOKS = {
    "": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "-dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}},
    "-phone": {"color_scheme": "light", "viewport": {"width": 360, "height": 740}},
}
SHOWN = {
    "": ("kernel", "diff", "results", "find", "dashboard"),
    "-dark": ("kernel", "diff", "results", "find", "dashboard"),
    "-phone": ("kernel",),
}


def main(address: str, name: str, password: str, folder: str = "") -> None:
    out = Path(folder or FOLDER)
    out.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for look, options in LOOKS.items():
            context = browser.new_context(base_url=address, **options)  # type: ignore[arg-type]
            page = context.new_page()
            page.goto("/login/")
            if folder:
                page.screenshot(path=out / f"login{look}.png")
            _log_in(page, name, password)
            for picture, path in _pages(page).items():
                if folder or picture in SHOWN[look]:
                    page.goto(path)
                    page.screenshot(path=out / f"{picture}{look}.png", full_page=bool(folder))
        browser.close()


def _pages(page: Page) -> dict[str, str]:
    page.goto("/find?q=rotate_kernel")
    kernel = page.locator(".list tbody th a").last.get_attribute("href")
    page.goto("/find?items=pairs")
    pair = page.locator(".list tbody th a").first.get_attribute("href")
    page.goto("/exports/")
    release = page.get_by_role("link", name="Changes").first.get_attribute("href")
    release = f"{release}".removesuffix("/changes")
    return {
        "kernel": f"{kernel}",
        "file": f"{kernel}?tab=file",
        "launcher": f"{kernel}?tab=launcher",
        "diff": f"{kernel}?tab=diff",
        "inline": f"{kernel}?tab=diff&layout=inline",
        "alike": f"{kernel}?tab=alike",
        "question": f"{kernel}question",
        "pair": f"{pair}",
        "results": f"{pair}?tab=results",
        "edit": f"{pair}edit",
        "find": "/find?status=pending&operation=softmax",
        "nothing": "/find?q=nothing-like-this",
        "empty-queue": "/?q=nothing-like-this",
        "bulk": "/bulk?status=pending",
        "dashboard": "/dashboard",
        "history": "/history",
        "runs": "/runs/",
        "exports": "/exports/",
        "push": f"{release}/push",
        "account": "/account",
        "password": "/account/password",
        "people": "/people",
        "welcome": "/welcome",
        "keys": "/keys",
        "guide": "/guide",
    }


def _log_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(lambda url: "/login" not in url)


if __name__ == "__main__":
    main(*sys.argv[1:])
