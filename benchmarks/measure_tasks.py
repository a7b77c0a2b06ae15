"""Keys, clicks and seconds of a reviewer's eight most frequent tasks, in Chromium.

python manage.py shell -c "from tests.showcase import *; furnish(); remember()"
python -m benchmarks.measure_tasks http://127.0.0.1:8000 curator PASSWORD

Needs an installation furnished like that and served with a worker. The script thinks in no time, so
the seconds are those of the site. A task that the site cannot do is printed as its error.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Error, Page, sync_playwright

PATIENCE = 20_000


@dataclass(slots=True)
class Hands:
    """A keyboard and a mouse that count."""

    page: Page
    keys: int = 0
    clicks: int = 0
    notes: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.keys += 1

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.keys += len(text)

    def click(self, selector: str) -> None:
        self.page.locator(selector).first.click()
        self.clicks += 1

    def item(self) -> str:
        return self.page.locator("article.review").get_attribute("data-item") or ""

    def wait_for_another(self, item: str) -> None:
        self.page.wait_for_function(
            "item => document.querySelector('article.review')?.dataset.item !== item", arg=item
        )


def decide_twenty(hands: Hands) -> None:
    hands.page.goto("/?operation=softmax")
    for number in range(20):
        item = hands.item()
        hands.press("r" if number % 4 == 3 else "a")
        hands.wait_for_another(item)


def find_by_code(hands: Hands) -> None:
    hands.page.goto("/find")
    hands.press("/")
    hands.type("tl.max(x, axis=0)")
    hands.press("Enter")
    hands.page.wait_for_url("**q=**")
    hands.click(".list tbody th a")
    hands.page.wait_for_selector("article.review")


def settle_dispute(hands: Hands) -> None:
    hands.page.goto("/find?disputed=yes")
    hands.click(".list tbody th a")
    hands.page.wait_for_selector(".dispute")
    hands.press("a")
    hands.page.wait_for_selector(".dispute", state="detached")


def compare_version(hands: Hands) -> None:
    hands.page.goto("/find?q=rotate_copy")
    hands.click(".list tbody th a")
    hands.click(".tabs a:has-text('Diff')")
    hands.page.wait_for_selector(".diff, table.code")


def export_by_filter(hands: Hands) -> None:
    hands.page.goto("/exports/")
    hands.click("#id_where")
    hands.type("operation=softmax")
    hands.click("button:has-text('Queue export')")
    hands.page.wait_for_selector(".messages .message")


def answer_question(hands: Hands) -> None:
    hands.page.goto("/?q=asked_kernel")
    hands.press("c")
    hands.type("Yes, the mask is right.")
    hands.page.keyboard.press("Escape")
    hands.keys += 1
    item = hands.item()
    hands.press("a")
    hands.wait_for_another(item)


def approve_cluster(hands: Hands) -> None:
    hands.page.goto("/find?q=rotate_kernel&duplicates=representative")
    hands.click(".list tbody th a")
    hands.page.wait_for_selector("article.review")
    item = hands.item()
    hands.click("button:has-text('Approve this, reject its near-duplicates')")
    hands.wait_for_another(item)


def reject_by_line_comment(hands: Hands) -> None:
    hands.page.goto("/?q=commented_kernel")
    item = hands.item()
    hands.page.locator(".code tr").nth(5).hover()
    hands.click(".talk-here:visible")
    hands.type("The last block is not masked.")
    hands.click(".inline-comment button[type=submit]")
    hands.page.wait_for_selector("text=The last block is not masked.")
    hands.page.goto("/?q=commented_kernel")
    hands.press("r")
    hands.wait_for_another(item)


TASKS: dict[str, Callable[[Hands], None]] = {
    # First, for the queue begins with disputes.
    "settle a dispute": settle_dispute,
    "decide 20 items": decide_twenty,
    "find a kernel by code": find_by_code,
    "compare near-duplicates": compare_version,
    "export with a filter": export_by_filter,
    "answer a question": answer_question,
    "approve a cluster": approve_cluster,
    "reject by a line comment": reject_by_line_comment,
}


def main() -> None:
    arguments = _arguments()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        page = browser.new_context(base_url=arguments.address).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto("/login/")
        page.fill("[name=username]", arguments.name)
        page.fill("[name=password]", arguments.password)
        page.click("button[type=submit]")
        for name, task in TASKS.items():
            hands, started = Hands(page), time.monotonic()
            try:
                task(hands)
            except Error as error:
                print(f"{name:28} {str(error).splitlines()[0]}")
                continue
            seconds = time.monotonic() - started
            print(f"{name:28} {hands.keys:3} keys {hands.clicks:2} clicks {seconds:6.2f} s")
        browser.close()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address")
    parser.add_argument("name")
    parser.add_argument("password")
    return parser.parse_args()


if __name__ == "__main__":
    main()
