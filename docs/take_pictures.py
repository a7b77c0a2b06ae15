"""Takes the pictures of the documentation from a running installation.

python docs/take_pictures.py http://127.0.0.1:8000 curator PASSWORD
"""

import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).with_name("pictures")
PAGES = {"kernel": "/"}
LOOKS = {
    "": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
    "-dark": {"color_scheme": "dark", "viewport": {"width": 1280, "height": 800}},
    "-phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}


def main(address: str, name: str, password: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        for look, options in LOOKS.items():
            page = browser.new_context(**options).new_page()  # type: ignore[arg-type]
            _log_in(page, address, name, password)
            for picture, path in PAGES.items():
                page.goto(f"{address}{path}")
                page.screenshot(path=FOLDER / f"{picture}{look}.png")
        browser.close()


def _log_in(page: Page, address: str, name: str, password: str) -> None:
    page.goto(f"{address}/login/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{address}/")


if __name__ == "__main__":
    main(*sys.argv[1:])
