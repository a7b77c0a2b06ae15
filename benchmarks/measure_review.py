"""Speed of the review site with 200,000 kernels, 20,000 pairs, and 20 people at once.

python -m benchmarks.measure_review FOLDER [--kernels N] [--pairs N] [--seconds S]

SQLite in FOLDER, or the PostgreSQL database that DATABASE_URL names. A filled database is measured
again as it is; beyond 200,000 kernels all rows are copied. Prints one line a figure.
"""

import argparse
import math
import os
import random
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.review_browser import FORGERY, VERSION, Browser, Seen, Took

SEED = 7
PASSES = 40


def main() -> None:
    arguments = _arguments()
    os.environ |= {
        "CURATION_DATA": str(arguments.folder.absolute()), "HTTPS": "0", "LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "curation.settings", "ALLOWED_HOSTS": "127.0.0.1,testserver",
        "CLAIM_SECONDS": "600",
    }  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from benchmarks.review_rows import fill

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    print(f"{connection.vendor}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    fill(arguments.kernels, arguments.pairs)
    if not arguments.only_together:
        measure_pages()
    if arguments.seconds:
        measure_together(arguments.reviewers, arguments.seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernels", type=int, default=200_000)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only-together", action="store_true")
    return parser.parse_args()


# --- Pages ----------------------------------------------------------------------------------
def measure_pages() -> None:
    """Server time of each page by the test client: middleware, queries and templates included."""
    from django.contrib.auth.models import User
    from django.core.cache import cache
    from django.db.models import Max
    from django.test import Client
    from django.urls import reverse

    from curation.models import Kernel, Pair
    from curation.web import highlight

    client = Client()
    client.force_login(User.objects.get(username="curator"))
    rng = random.Random(SEED)  # noqa: S311
    last = Kernel.objects.aggregate(n=Max("pk"))["n"]
    pairs = list(Pair.objects.order_by("pk").values_list("pk", flat=True)[:PASSES])
    some = [rng.randint(last // 2, last) for _ in range(PASSES)]
    words = ("rotate_kernel_77", "tl.store(out_ptr", "softmax", "def load_angle(ptr", "_123")
    filters = (
        "", "status=pending", "operation=scan&status=approved", "category=jax&status=pending",
        "duplicates=unique&finding=none&validation=passed", "items=pairs&order=priority",
        "reviewer=reviewer3", "tag=tag-7&difficulty=hard", "contaminated=no&kind=entry",
        "order=priority&difficulty=hard", "language=gluon", "validation=failed",
        "order=name", "order=-lines&status=pending", "order=operation&difficulty=hard",
        "order=-license&language=triton", "items=pairs&order=name",
        "order=registers&registers=..64", "items=pairs&order=-speedup", "spills=yes",
        "repository=org3/repo3",
        "items=pairs&validation=passed", "open=license&category=jax&status=pending",
        f"after={last // 2}", f"after={last // 50}&status=rejected",
    )  # fmt: skip

    def time_request(method: Callable[..., Any], url: str, **form: Any) -> Took:
        with Took.measured() as took:
            answer = method(url, form) if form else method(url)
        assert answer.status_code in (200, 302), (url, answer.status_code)
        return took

    def cold(pk: int) -> Took:
        highlight.lines.cache_clear()
        return time_request(client.get, f"/kernels/{pk}/")

    # A process learns as it goes: templates, statements, and of each connection the database.
    for url in ("/keys", f"/kernels/{last // 3}/", "/find"):
        report(f"a process's first {url}", math.inf, [time_request(client.get, url)])
    report("kernel page, cold", 80, [cold(pk) for pk in some])
    report("kernel page, warm", 40, [time_request(client.get, f"/kernels/{pk}/") for pk in some])
    for tab in ("file", "diff", "alike", "history"):
        times = [time_request(client.get, f"/kernels/{pk}/?tab={tab}") for pk in some]
        report(f"kernel page, {tab}", 80, times)
    report("pair page", 80, [time_request(client.get, f"/pairs/{pk}/") for pk in pairs])
    for tab in ("results", "alike", "history"):
        report(
            f"pair page, {tab}",
            80,
            [time_request(client.get, f"/pairs/{pk}/?tab={tab}") for pk in pairs],
        )
    report("editing a pair", 80, [time_request(client.get, f"/pairs/{pk}/edit") for pk in pairs])
    report(
        "asking a colleague",
        80,
        [time_request(client.get, f"/kernels/{pk}/question") for pk in some],
    )
    for query in filters:
        times = [time_request(client.get, f"/find?{query}") for _ in range(PASSES)]
        report(f"list ?{query}", 100, times)
    for word in words:
        times = [time_request(client.get, f"/find?{urlencode({'q': word})}") for _ in range(PASSES)]
        report(f"search {word!r}", 150, times)
    report("dashboard", 150, [time_request(client.get, "/dashboard") for _ in range(PASSES)])
    report("history", 150, [time_request(client.get, "/history") for _ in range(PASSES)])
    for name in ("drafts/", "account", "exports", "keys", "guide"):
        url = f"/{name}" if name != "exports" else reverse("exports")
        report(name.strip("/"), 150, [time_request(client.get, url) for _ in range(PASSES)])
    url = "/bulk?status=pending&operation=scan&category=jax"
    report(
        "how many a bulk decision is about", 1000, [time_request(client.get, url) for _ in range(5)]
    )
    report("queue", 50, [time_request(client.get, "/") for _ in range(PASSES)])
    cache.clear()
    report("any page that counts the queue anew", 150, [time_request(client.get, "/keys")])
    times = []
    for _ in range(PASSES):
        url = client.get("/").headers["Location"]
        client.get(url)
        _, kind, pk, _ = url.split("/")
        model = Kernel if kind == "kernels" else Pair
        item = model._default_manager.get(pk=pk)
        with Took.measured() as took:
            answer = client.post(
                f"{url}decision",
                {"status": "approved", "version": item.version, "request": uuid.uuid4()},
            )
            client.get(answer.headers["Location"])
        times.append(took)
    report("decide and advance to the next page", 100, times)


def report(name: str, limit: float, times: list[Took]) -> None:
    clock, processor = (
        sorted(getattr(took, part) for took in times) for part in ("clock", "processor")
    )
    late = math.ceil(0.95 * len(times)) - 1
    print(
        f"{name:55} p50 {statistics.median(clock):7.1f}  p95 {clock[late]:7.1f} ms  "
        f"of the processor {statistics.median(processor):6.1f} {processor[late]:6.1f}  "
        f"limit {limit:.0f}  {'ok' if clock[late] <= limit else 'TOO SLOW'}",
        flush=True,
    )


# --- Together -------------------------------------------------------------------------------
def measure_together(reviewers: int, seconds: int) -> None:
    """Real web processes, real sessions; the whole server dies by kill -9 half-way."""
    from django.conf import settings
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.models import User
    from django.contrib.sessions.backends.db import SessionStore

    from curation.models import Claim, Decision, SecondReview, Skip

    Claim.objects.all().delete()
    Skip.objects.all().delete()
    settings.SECOND_REVIEW_PERCENT = {}
    before = Decision.objects.count()
    cookies = {}
    for number in range(reviewers):
        user = User.objects.get(username=f"reviewer{number}")
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        cookies[user.username] = str(session.session_key)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server, seen = serve(port), Seen()
    end = time.monotonic() + seconds
    threads = [
        threading.Thread(target=_review, args=(name, key, port, end, seen))
        for name, key in cookies.items()
    ]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    time.sleep(seconds / 2)
    os.killpg(server.pid, signal.SIGKILL)
    server.wait()
    server = serve(port)
    for thread in threads:
        thread.join()
    took = time.monotonic() - began
    os.killpg(server.pid, signal.SIGTERM)
    server.wait()
    made = {
        str(key)
        for model in (Decision, SecondReview)
        for key in model._default_manager.values_list("request", flat=True)
    }
    twice = [item for item, names in seen.given.items() if len(names) > 1]
    print(f"{reviewers} reviewers for {took:.0f} s, the server killed once:")
    print(f"  {len(seen.acknowledged) / took:.1f} decisions/s (at least 40 wanted)")
    report("  decide and advance, over HTTP", 500, seen.times or [Took()])
    print(f"  handed to two: {len(twice)} of {len(seen.given)}")
    print(f"  acknowledged then lost: {len(seen.acknowledged - made)} of {len(seen.acknowledged)}")
    print(f"  written: {Decision.objects.count() - before}; errors: {dict(seen.errors)}")


def serve(port: int) -> subprocess.Popen[bytes]:
    server = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "gunicorn",
            "curation.wsgi",
            "--config",
            "curation/operations/gunicorn.py",
        ],
        env={**os.environ, "PORT": str(port), "SECOND_REVIEW_PERCENT": "0"},
        start_new_session=True,
    )
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return server
        except OSError:
            assert server.poll() is None, "the web server did not start"
            time.sleep(0.05)


def _review(name: str, session: str, port: int, end: float, seen: Seen) -> None:
    """One person: look, decide, look at what comes next, until the time is over."""
    browser = Browser(port, session, seen)
    url = browser.follow("/")
    while time.monotonic() < end and url:
        page = browser.get(url)
        version, token = VERSION.search(page), FORGERY.search(page)
        if not version or not token:
            with seen.lock:
                seen.errors["a page without a form"] += 1
            url = browser.follow("/")
            continue
        item = url.split("?")[0]
        with seen.lock:
            seen.given[item].add(name)
        wish = str(uuid.uuid4())
        form = {"status": "approved", "version": version[1], "request": wish}
        began = time.perf_counter()
        following = browser.post(f"{item}decision", token[1], form)
        if following is not None:
            browser.get(following, keep=True)
            with seen.lock:
                seen.times.append(Took(1000 * (time.perf_counter() - began)))
                seen.acknowledged.add(wish)
        url = following or browser.follow("/")


if __name__ == "__main__":
    main()
