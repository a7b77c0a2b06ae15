"""Compare this review site with Label Studio and doccano, with the same texts on one machine.

    python -m benchmarks.compare_review_tools FOLDER --label-studio VENV --doccano VENV

VENV is a virtual environment with the tool. doccano 1.8.4 also needs `numpy<2` and `marshmallow<4`.
Each tool runs alone, with its own server on loopback and SQLite in FOLDER. One logged-in client
sends its requests one after another, each on a new connection. The time ends with the last byte of
the answer. A decision in doccano is two requests, and the next item here is two: the queue's
redirect and the page.

`--fill-only` fills the databases and measures nothing. A filled database is used again, with the
figures of its import. Prints one table in Markdown.
"""

import argparse
import json
import math
import os
import platform
import re
import socket
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from urllib.parse import urlencode

from benchmarks.measure_export import written
from benchmarks.other_review_tools import (
    PAGE,
    PASSWORD,
    ROOT,
    Client,
    Doccano,
    LabelStudio,
    Server,
    Tool,
)
from benchmarks.review_browser import FORGERY, VERSION

WARM_UPS, REPEATS, DECIDED = 10, 40, 500
# Seconds after which a step ends with the requests or items that it has.
LIMIT = 1200.0
BATCH = 10_000
COMMON, RARE = "softmax", "rotate_kernel_770"
FOUND = re.compile(r"(\d+\+?) found")
# The number of items beside a box of the status filter.
OF_STATUS = r'name="status" value="{}"[^>]*>[^<]*<span class="many">([\d,]+)'
Figures = dict[str, str]


def main() -> None:
    given = _arguments()
    folder = given.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "CURATION_DATA": str(folder / "site"), "HTTPS": "0", "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "curation.settings", "ALLOWED_HOSTS": "127.0.0.1",
    }  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    tools: list[Tool] = [ReviewSite(folder / "site", given.items, _free_port())]
    for made, environment in ((LabelStudio, given.label_studio), (Doccano, given.doccano)):
        if environment:
            own = folder / made.__name__.lower()
            own.mkdir(exist_ok=True)
            tools.append(made(environment.absolute(), own, _free_port()))
    columns = {}
    for tool in tools:
        columns[tool.name] = _figures(tool, folder, given.items, given.fill_only)
    print(f"{date.today()}, {given.items:,} items, {os.cpu_count()} cores, {platform.platform()}\n")
    print(_table(columns))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--label-studio", type=Path, metavar="VENV")
    parser.add_argument("--doccano", type=Path, metavar="VENV")
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--fill-only", action="store_true")
    return parser.parse_args()


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _table(columns: dict[str, Figures]) -> str:
    names = list(columns)
    rows = list(dict.fromkeys(row for figures in columns.values() for row in figures))
    lines = [["", *names], ["---", *("--:" for _ in names)]]
    lines += [[row, *(columns[name].get(row, "none") for name in names)] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


# --- Measurement ----------------------------------------------------------------------------------
def _figures(tool: Tool, folder: Path, items: int, fill_only: bool) -> Figures:
    load = os.getloadavg()[0]
    tool.start()
    try:
        figures = {"version": tool.version(), "import by": tool.imported_by}
        figures |= _filled(tool, folder, items)
        if not fill_only:
            figures |= _measured(tool, items)
            figures["load before and after"] = f"{load:.1f}, {os.getloadavg()[0]:.1f}"
    finally:
        for server in tool.servers:
            server.stop()
    return figures


def _filled(tool: Tool, folder: Path, items: int) -> Figures:
    kept = folder / f"{type(tool).__name__.lower()}.json"
    if not kept.exists():
        load, began = os.getloadavg()[0], time.monotonic()
        count = tool.fill(_texts(items), began + LIMIT)
        seconds = time.monotonic() - began
        figures = {
            "items imported": f"{count:,}",
            "import, seconds": f"{seconds:,.0f} ({count / seconds:,.0f} items/s)",
            "load at the import's start": f"{load:.1f}",
        }
        _say(tool, figures)
        kept.write_text(json.dumps(figures))
    return dict(json.loads(kept.read_text()))


def _texts(items: int) -> Iterator[list[str]]:
    from curation.models import Kernel

    rows = Kernel.objects.order_by("pk").values_list("standalone_source", flat=True)
    for start in range(0, items, BATCH):
        yield list(rows[start : min(start + BATCH, items)])


def _measured(tool: Tool, items: int) -> Figures:
    figures: Figures = {}

    def report(row: str, act: Callable[[], object]) -> None:
        figures[row] = _repeated(tool, act)
        _say(tool, {row: figures[row]})

    began, decided = time.monotonic(), 0
    nexts, decisions = [], []
    while decided < WARM_UPS + REPEATS and time.monotonic() < began + LIMIT / 2:
        before = tool.client.seconds
        item = tool.next()
        between = tool.client.seconds
        tool.decide(item)
        nexts.append(between - before)
        decisions.append(tool.client.seconds - between)
        decided += 1
    figures["next item with its text"] = _in_words(nexts[WARM_UPS:])
    figures["one decision"] = _in_words(decisions[WARM_UPS:])
    _say(tool, figures)
    for item in tool.undecided(DECIDED - decided):
        tool.decide(item)
    report("list, first page", lambda: tool.page(0))
    report("list, a page in the middle", lambda: tool.page(items // 2 // PAGE * PAGE))
    report("list of items done, total", lambda: tool.list_by_status(True))
    report("list of items not done, total", lambda: tool.list_by_status(False))
    report(f"search `{COMMON}`, total", lambda: tool.search(COMMON))
    report(f"search `{RARE}`, total", lambda: tool.search(RARE))
    start = time.monotonic()
    records = tool.export()
    seconds = time.monotonic() - start
    figures["export of items done, seconds"] = f"{seconds:.1f} ({records:,} items)"
    memory = " + ".join(f"{server.megabytes():,.0f}" for server in tool.servers)
    figures["memory of the server's processes, MB"] = memory
    _say(tool, {"export": figures["export of items done, seconds"], "memory": memory})
    return figures


def _repeated(tool: Tool, act: Callable[[], object]) -> str:
    times: list[float] = []
    total, end = None, time.monotonic() + LIMIT
    while len(times) < WARM_UPS + REPEATS and time.monotonic() < end:
        before = tool.client.seconds
        total = act()
        times.append(tool.client.seconds - before)
    shown = _in_words(times[WARM_UPS:])
    return shown if total is None else f"{shown} ({total})"


def _in_words(seconds: list[float]) -> str:
    """Return the median and the 95th percentile in ms, and the number of requests if too few."""
    if not seconds:
        return "too slow"
    late = sorted(seconds)[math.ceil(0.95 * len(seconds)) - 1]
    few = f" of {len(seconds)} requests" if len(seconds) < REPEATS else ""
    return f"{1000 * statistics.median(seconds):,.0f}, {1000 * late:,.0f}{few}"


def _say(tool: Tool, figures: Figures) -> None:
    for row, figure in figures.items():
        print(f"{time.strftime('%H:%M:%S')} {tool.name}: {row}: {figure}", file=sys.stderr)


# --- This site ------------------------------------------------------------------------------------
class ReviewSite:
    """Pages as a browser gets them. The settings must name the folder of its database."""

    name = "this site"
    imported_by = "Django's bulk_create, with provenance, findings and the search index"

    def __init__(self, folder: Path, items: int, port: int) -> None:
        self._folder, self._items, self.client = folder, items, Client(port)
        self.servers: list[Server] = []

    def start(self) -> None:
        from django.contrib.auth.models import User

        from tests import factories

        if not User.objects.filter(username="reviewer0").exists():
            factories.a_reviewer(username="reviewer0")
        command = [sys.executable, "-m", "gunicorn", "curation.wsgi"]
        command += ["--config", "curation/operations/gunicorn.py"]
        environment = {**os.environ, "PORT": str(self.client.port), "SECOND_REVIEW_PERCENT": "0"}
        self.servers = [Server(command, environment, self._folder / "site.log")]
        self.servers[0].wait_for(self.client.port, "/login/")
        token = FORGERY.search(self.client.get("/login/").text())
        assert token
        form = {"username": "reviewer0", "password": PASSWORD, "csrfmiddlewaretoken": token[1]}
        assert self.client.send("/login/", form).location

    def version(self) -> str:
        command = ["git", "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        return f"commit {commit.stdout.strip()} with Python {sys.version.split()[0]}"

    def next(self) -> tuple[str, str, str]:
        """Return the address, version and forgery token of the item that the queue leads to."""
        address = self.client.get("/").location.split("?")[0]
        page = self.client.get(address).text()
        version, token = VERSION.search(page), FORGERY.search(page)
        assert version and token
        return address, version[1], token[1]

    def undecided(self, count: int) -> Iterator[tuple[str, str, str]]:
        for _ in range(count):
            yield self.next()

    def decide(self, item: tuple[str, str, str]) -> None:
        """Approve. The answer holds the page of the next item, as it does in a browser."""
        address, version, token = item
        form = {"status": "approved", "version": version, "request": uuid.uuid4()}
        form["csrfmiddlewaretoken"] = token
        assert self.client.send(f"{address}decision", form, **{"X-Swap": "1"}).location

    def page(self, start: int) -> None:
        """Ask for a page by its cursor, the key of the item before it."""
        self.client.get(f"/find?after={start}" if start else "/find")

    def list_by_status(self, done: bool) -> str:
        """Return the count beside the filter, which the page has in full for a status."""
        status = "approved" if done else "pending"
        page = self.client.get(f"/find?status={status}").text()
        count = re.search(OF_STATUS.format(status), page)
        assert count
        return count[1]

    def search(self, word: str) -> str:
        """Return the count of a search, which the page limits to 200."""
        count = FOUND.search(self.client.get(f"/find?{urlencode({'q': word})}").text())
        assert count
        return count[1]

    def fill(self, batches: Iterator[list[str]], end: float) -> int:
        """Compose the items whose texts the other tools get, all of them still pending."""
        from benchmarks.review_rows import fill
        from curation.models import Fingerprint, Kernel

        fill(self._items, 0, weights=(1, 0, 0))
        # The export wants each item compared with benchmarks.
        Fingerprint.objects.bulk_create(
            (
                Fingerprint(
                    kernel_id=pk, scheme="measured 1", content_hash=hash, syntax_hash=hash,
                    token_count=60, signature=b"\0" * 8, placed=True,
                    compared_with=Fingerprint.NO_BENCHMARKS,
                )
                for pk, hash in Kernel.objects.values_list("pk", "content_hash")
            ),
            batch_size=BATCH,
        )  # fmt: skip
        return Kernel.objects.count()

    def export(self) -> int:
        out = self._folder / f"export-{time.time_ns()}"
        command = [sys.executable, "manage.py", "export_dataset", "--out", str(out)]
        subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        return sum(1 for _ in written(out))


if __name__ == "__main__":
    main()
