"""Share of kernels and pairs whose first screen shows the kernel, and what a reviewer must do next.

python -m benchmarks.measure_first_screen FOLDER [--items N] [--width PIXELS] [--height PIXELS]

FOLDER is the data folder of an installation with kernels and pairs. For a random sample of each
kind it prints three figures:

- the share whose first screen holds the `def` of the kernel,
- the share of code lines that end behind the edge,
- the presses of keys from the top of the page to the button Approve.
"""

import argparse
import os
import random
import signal
import socket
import statistics
from pathlib import Path
from typing import Any

SEED = 7
MOST_PRESSES = 400
# A point inside the line that defines the kernel is on the screen, and nothing covers it.
IS_VISIBLE = r"""name => {
  const start = new RegExp(`^\\s*(async )?def ${name}\\b`);
  for (const line of document.querySelectorAll(".source .code td code")) {
    if (!start.test(line.textContent)) continue;
    const box = line.getBoundingClientRect(), at = [box.left + 4, box.top + 8];
    if (box.width && line.closest("td").contains(document.elementFromPoint(...at))) return true;
  }
  return false;
}"""
CUT_LINES = """() => {
  const edge = (line) => line.closest(".scroll").getBoundingClientRect().right + 1;
  const end = (line) => {
    const text = document.createRange();
    text.selectNodeContents(line);
    return text.getBoundingClientRect().right;
  };
  const lines = [...document.querySelectorAll(".source .code td code")];
  const shown = lines.filter((line) => line.offsetParent);
  return [shown.filter((line) => end(line) > edge(line)).length, shown.length];
}"""


def main() -> None:
    arguments = _arguments()
    os.environ |= {
        "CURATION_DATA": str(arguments.folder.absolute()), "HTTPS": "0", "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "curation.settings", "ALLOWED_HOSTS": "127.0.0.1,testserver",
    }  # fmt: skip
    import django

    django.setup()
    from django.contrib.auth.models import User
    from django.core.management import call_command
    from django.test import Client

    call_command("collectstatic", verbosity=0, interactive=False)
    person, _ = User.objects.get_or_create(username="first-screen", is_superuser=True)
    client = Client()
    client.force_login(person)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    from benchmarks.measure_review import serve

    server = serve(port)
    try:
        _measure(f"http://127.0.0.1:{port}", client.cookies["sessionid"].value, arguments)
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait()


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--items", type=int, default=60)
    parser.add_argument("--width", type=int, default=1440)
    parser.add_argument("--height", type=int, default=900)
    return parser.parse_args()


def _measure(address: str, session: str, arguments: argparse.Namespace) -> None:
    from playwright.sync_api import sync_playwright

    samples = _samples(arguments.items)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
        )
        context = browser.new_context(
            viewport={"width": arguments.width, "height": arguments.height}
        )
        context.add_cookies([{"name": "sessionid", "value": session, "url": address}])
        page = context.new_page()
        for kind, items in samples.items():
            hidden, cut, lines, presses = [], 0, 0, []
            for path, name in items:
                page.goto(address + path)
                if not page.evaluate(IS_VISIBLE, name):
                    hidden.append(f"{path} {name}")
                counts = page.evaluate(CUT_LINES)
                cut, lines = cut + counts[0], lines + counts[1]
                presses.append(_presses(page))
            print(
                f"{kind}: {len(items)}, first screen holds the def "
                f"{len(items) - len(hidden)} of {len(items)}; lines cut off {cut} of {lines} "
                f"({cut / max(lines, 1):.1%}); presses to Approve median "
                f"{statistics.median(presses)}, at most {max(presses)}"
            )
            for line in hidden:
                print(f"  not on the first screen: {line}")
        browser.close()


def _samples(count: int) -> dict[str, list[tuple[str, str]]]:
    """Return a sample of each kind: addresses, with the name of the kernel."""
    from curation.kinds.reading import read_kernels
    from curation.models import Kernel, Pair

    pick = random.Random(SEED).sample  # noqa: S311
    kernels = [
        (kernel.get_absolute_url(), kernel.name.rpartition(".")[2])
        for kernel in Kernel.objects.order_by("pk")
    ]
    pairs = []
    for pair in Pair.objects.order_by("pk"):
        readings = read_kernels(pair.triton_code)
        pairs += [(pair.get_absolute_url(), readings[0].name)] if readings else []
    return {
        "kernels": pick(kernels, min(count, len(kernels))),
        "pairs": pick(pairs, min(count, len(pairs))),
    }


def _presses(page: Any) -> int:
    """Count the keys from the top of the page to Approve. A link that skips to it may be used."""
    page.evaluate("document.activeElement.blur()")
    presses = 0
    while presses < MOST_PRESSES:
        page.keyboard.press("Tab")
        presses += 1
        if page.evaluate("document.activeElement.matches('button.approve')"):
            break
        if page.evaluate("document.activeElement.matches('[href=\"#decision\"]')"):
            page.keyboard.press("Enter")
            presses += 1
    return presses


if __name__ == "__main__":
    main()
