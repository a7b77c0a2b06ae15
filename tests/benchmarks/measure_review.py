"""How quick the review site is over 200,000 kernels and 20,000 pairs, and with 20 people at once.

python -m tests.benchmarks.measure_review FOLDER [--kernels N] [--pairs N] [--seconds S]

SQLite in FOLDER, or the PostgreSQL database that DATABASE_URL names. What was filled before is
measured again as it is. Prints one line a figure.
"""

import argparse
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

SEED = 7
BATCH = 2000
PASSES = 40
OPERATIONS = ("element-wise", "reduction", "matmul", "attention", "softmax", "scan", "sort")


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

    call_command("migrate", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    print(f"{connection.vendor}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    fill(arguments.kernels, arguments.pairs)
    if not arguments.only_together:
        measure_pages()
    if arguments.seconds:
        measure_together(arguments.reviewers, arguments.seconds)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--kernels", type=int, default=200_000)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--only-together", action="store_true")
    return parser.parse_args()


# --- Rows -----------------------------------------------------------------------------------
def fill(kernels: int, pairs: int) -> None:
    from curation.models import Kernel
    from curation.review import dashboard, priority
    from curation.review.figures import keep
    from tests import factories as make

    people = [_person(f"reviewer{n}", make.a_reviewer) for n in range(40)]
    _person("curator", make.a_curator)
    if Kernel.objects.exists():
        return
    began = time.monotonic()
    rng = random.Random(SEED)  # noqa: S311 - the same rows in every run
    repositories = [
        make.a_repository(category=category, tier=rng.randint(1, 3), stars=rng.randint(0, 30_000))
        for _ in range(20)
        for category in ("tutorial", "flashattention", "xformers", "jax", "utils")
    ]
    files = [make.a_source_file(repository=one) for one in repositories for _ in range(10)]
    license = make.a_license(expression="MIT")
    for start in range(0, kernels, BATCH):
        _kernels(start, min(BATCH, kernels - start), rng, files, license, people)
    for start in range(0, pairs, BATCH):
        _pairs(start, min(BATCH, pairs - start), rng)
    _links(rng)
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"filled in {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    stretches = 1
    priority.refresh()
    while priority.still_ahead():
        priority.refresh()
        stretches += 1
    seconds = time.monotonic() - began
    print(f"priorities of all gathered in {seconds:.1f} s, in {stretches} stretches")
    began = time.monotonic()
    keep(dashboard.NAME, dashboard.gather())
    print(f"figures of the dashboard gathered in {time.monotonic() - began:.1f} s")


def _person(name: str, made: Callable[..., Any]) -> Any:
    """Rows that another script has filled may be without."""
    from django.contrib.auth.models import User

    return User.objects.filter(username=name).first() or made(username=name)


def _kernels(
    start: int, count: int, rng: random.Random, files: Any, license: Any, people: Any
) -> None:
    from curation.models import Decision, Kernel, Provenance, QualityFinding, ValidationResult
    from tests import factories as make
    from tests.showcase import ROTARY, SOFTMAX

    rows = []
    for number in range(start, start + count):
        base, name = (ROTARY, "rotate_kernel") if number % 3 else (SOFTMAX, "softmax_kernel")
        source = base.replace(name, f"{name}_{number}").replace("BLOCK", f"B{rng.randint(1, 99)}")
        status = rng.choices(("pending", "approved", "rejected"), (60, 25, 15))[0]
        rows.append(
            Kernel(
                content_hash=make.sha(f"kernel {number}"), name=f"{name}_{number}", kind="entry",
                function_source=source[source.index("@triton") :], standalone_source=source,
                standalone=number % 20 != 0, lines=source.count("\n"), tokens=400, status=status,
                version=1 if status == "pending" else 2, operation_type=rng.choice(OPERATIONS),
                difficulty=rng.choice(("easy", "medium", "hard")), tags=[f"tag-{number % 50}"],
                license=license, license_verdict="permissive",
            )
        )  # fmt: skip
    Kernel.objects.bulk_create(rows)
    Provenance.objects.bulk_create(
        Provenance(
            kernel=row, source_file=rng.choice(files), qualname=row.name, start_line=10,
            end_line=10 + row.lines, sha256=make.sha(1), license=license,
            license_verdict="permissive", license_reason="The LICENSE says so.",
        )
        for row in rows
    )  # fmt: skip
    QualityFinding.objects.bulk_create(
        QualityFinding(
            kernel=row, gate="length", passed=rng.random() < 0.7, action="warn", rules="1"
        )
        for row in rows
    )
    run = make.a_validation_run(device="compiler")
    ValidationResult.objects.bulk_create(
        ValidationResult(run=run, kernel=row, content_hash=row.content_hash, verdict="passed")
        for row in rows
        if rng.random() < 0.5
    )
    Decision.objects.bulk_create(
        Decision(
            kernel=row, content_hash=row.content_hash, version=1, status=row.status,
            previous_status="pending", user=rng.choice(people),
        )
        for row in rows
        if row.status != "pending"
    )  # fmt: skip


def _pairs(start: int, count: int, rng: random.Random) -> None:
    from curation.models import Pair, ValidationResult
    from tests import factories as make
    from tests.showcase import PYTHON, TEST, TRITON

    rows = Pair.objects.bulk_create(
        Pair(
            content_hash=make.sha(f"pair {number}"), slug=f"scaled-add-{number}",
            entry_point="scaled_add", python_code=PYTHON, triton_code=f"{TRITON}# {number}\n",
            test_code=TEST, origin="template", operation_type=rng.choice(OPERATIONS),
            difficulty="easy",
        )
        for number in range(start, start + count)
    )  # fmt: skip
    run = make.a_validation_run()
    ValidationResult.objects.bulk_create(
        ValidationResult(run=run, pair=row, content_hash=row.content_hash, verdict="passed")
        for row in rows
        if rng.random() < 0.8
    )


def _links(rng: random.Random) -> None:
    from curation.models import DuplicateLink, Kernel

    pks = list(Kernel.objects.order_by("pk").values_list("pk", "content_hash"))
    twins = rng.sample(range(1, len(pks)), len(pks) // 5)
    links = (
        DuplicateLink(
            kernel_id=pks[n][0], of_kernel_id=pks[n - n % 100][0], likeness="near", similarity=0.9,
            content_hash=pks[n][1], of_content_hash=pks[n - n % 100][1],
        )
        for n in twins
        if n % 100
    )  # fmt: skip
    DuplicateLink.objects.bulk_create(links, batch_size=BATCH)


# --- Pages ----------------------------------------------------------------------------------
def measure_pages() -> None:
    """Server time of each page by the test client: middleware, queries and templates included."""
    from django.contrib.auth.models import User
    from django.core.cache import cache
    from django.db.models import Max
    from django.test import Client

    from curation.models import Kernel, Pair
    from curation.review import highlight

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
        f"after={last // 2}", f"after={last // 50}&status=rejected",
    )  # fmt: skip

    def one(method: Callable[..., Any], url: str, **form: Any) -> Took:
        with Took.measured() as took:
            answer = method(url, form) if form else method(url)
        assert answer.status_code in (200, 302), (url, answer.status_code)
        return took

    def cold(pk: int) -> Took:
        highlight.lines.cache_clear()
        return one(client.get, f"/kernels/{pk}/")

    one(client.get, "/keys")
    report("kernel page, cold", 80, [cold(pk) for pk in some])
    report("kernel page, warm", 40, [one(client.get, f"/kernels/{pk}/") for pk in some])
    report("pair page", 80, [one(client.get, f"/pairs/{pk}/") for pk in pairs])
    for query in filters:
        times = [one(client.get, f"/find?{query}") for _ in range(PASSES // 2)]
        report(f"list ?{query}", 50, times)
    for word in words:
        times = [one(client.get, f"/find?{urlencode({'q': word})}") for _ in range(PASSES // 2)]
        report(f"search {word!r}", 150, times)
    report("dashboard", 150, [one(client.get, "/dashboard") for _ in range(PASSES)])
    report("history", 150, [one(client.get, "/history") for _ in range(PASSES)])
    report("queue", 50, [one(client.get, "/") for _ in range(PASSES)])
    cache.clear()
    report("any page that counts the queue anew", 150, [one(client.get, "/keys")])
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


@dataclass
class Took:
    """Milliseconds by the clock and, on a machine that others use too, of our own processor."""

    clock: float = 0
    processor: float = 0

    @classmethod
    @contextmanager
    def measured(cls) -> Iterator["Took"]:
        took, began = cls(), (time.perf_counter(), time.process_time())
        yield took
        took.clock = 1000 * (time.perf_counter() - began[0])
        took.processor = 1000 * (time.process_time() - began[1])


def report(name: str, limit: float, times: list[Took]) -> None:
    clock, processor = (
        sorted(getattr(took, part) for took in times) for part in ("clock", "processor")
    )
    late = min(len(times) - 1, int(0.95 * len(times)))
    print(
        f"{name:55} p50 {statistics.median(clock):7.1f}  p95 {clock[late]:7.1f} ms  "
        f"of the processor {statistics.median(processor):6.1f} {processor[late]:6.1f}  "
        f"limit {limit:.0f}  {'ok' if clock[late] <= limit else 'TOO SLOW'}",
        flush=True,
    )


# --- Together -------------------------------------------------------------------------------
@dataclass
class Seen:
    """What all reviewers saw, put together."""

    times: list[Took] = field(default_factory=list)
    given: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    acknowledged: set[str] = field(default_factory=set)
    errors: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


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
    server, seen = _serve(port), Seen()
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
    server = _serve(port)
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


def _serve(port: int) -> subprocess.Popen[bytes]:
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "curation.wsgi", "--config", "curation/gunicorn.py"],
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


VERSION = re.compile(r'name="version" value="(\d+)"')
FORGERY = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


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


class Browser:
    """Keeps its connection and its cookies; what a broken connection lost is sent again."""

    def __init__(self, port: int, session: str, seen: Seen) -> None:
        self._port, self._seen = port, seen
        self._cookies = {"sessionid": session}
        self._kept: tuple[str, str] | None = None
        self._connection = HTTPConnection("127.0.0.1", port, timeout=30)

    def follow(self, url: str) -> str:
        code, location, _ = self._ask("GET", url)
        return location if code == 302 else ""

    def get(self, url: str, keep: bool = False) -> str:
        if self._kept and self._kept[0] == url:
            page = self._kept[1]
            self._kept = None
            return page
        _, _, page = self._ask("GET", url)
        if keep:
            self._kept = (url, page)
        return page

    def post(self, url: str, token: str, form: dict[str, str]) -> str | None:
        body = urlencode({**form, "csrfmiddlewaretoken": token})
        code, location, _ = self._ask("POST", url, body)
        if code != 302:
            with self._seen.lock:
                self._seen.errors[f"{code} for a decision"] += 1
            return None
        return location

    def _ask(self, method: str, url: str, body: str | None = None) -> tuple[int, str, str]:
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self._cookies.items())}
        if body is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        while True:
            try:
                self._connection.request(method, url, body, headers)
                answer = self._connection.getresponse()
                text = answer.read().decode()
            except (OSError, HTTPException):
                # The server was killed: the same wish is sent again once it is back.
                self._connection.close()
                time.sleep(0.05)
                continue
            for cookie in answer.headers.get_all("Set-Cookie") or []:
                key, _, value = cookie.split(";")[0].partition("=")
                self._cookies[key] = value
            if answer.status >= 500:
                with self._seen.lock:
                    self._seen.errors[f"{answer.status}"] += 1
            return answer.status, answer.headers.get("Location") or "", text


if __name__ == "__main__":
    main()
