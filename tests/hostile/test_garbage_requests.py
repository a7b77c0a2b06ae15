"""Garbage at every address that there is, by everybody: refused, and never with a fault of ours.

Half of the requests are almost right: what a page or a program would send, with one or two values
spoilt. FUZZ_EXAMPLES=5000 looks longer.
"""

import io
import json
import os
import re
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

import pytest
import redis
from django.contrib.auth.models import User
from django.db import transaction
from django.test import Client
from django.urls import URLPattern, URLResolver
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from curation.search.filters import KEYS
from curation.urls import urlpatterns
from curation.web import tokens
from tests import factories as make

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

METHODS = ("GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW", "get")
PLACEHOLDER = re.compile(r"<[^>]+>|\(\?P<\w+>[^)]*\)|\([^?][^)]*\)")
NASTY = (
    "", "0", "-1", "1.5", "9" * 19, "9" * 30, "9" * 5000, "1e999", "NaN", "\0", "a\0b", "\ud800",
    "٣", "²", "\r\nSet-Cookie: a=b", "../../etc/passwd", "' OR 1=1 --", "<script>", "{{7*7}}",
    "%s%n", "x" * 20_000, "2026-13-45", "0001-01-01", "9999-12-31", str(uuid.UUID(int=0)), "null",
    "[]", "{}", "\u202e", "é" * 300, "*", "a:b:c", '"', "\\", "//evil.example", "True", ",", ";",
)  # fmt: skip
# What the site's own forms, queries and programs send, when all is well.
RIGHT: dict[str, Any] = {
    "status": "approved", "version": 1, "comment": "Fine.", "reasons": ["other"], "size": 50,
    "operation_type": "matmul", "difficulty": "easy", "tags": "one two", "name": "mine",
    "revoke": 1, "decision": 1, "after": "1", "with": 1, "before": "1", "query": "status=pending",
    "filter": "status=pending", "text": "Why?", "asked": 1, "kind": "kernels", "q": "add",
    "reason": "spam", "pinned": 1, "who": 1, "username": "ada", "password": "x", "next": "/find",
    "python_code": "def add(x): ...", "triton_code": "x = 1", "test_code": "x", "action": "x",
    "_selected_action": 1, "o": "1", "p": "0", "e": "1", "id__in": "1", "count": 1, "seed": 1,
    "queue": "", "delete": "1", "formats": "jsonl", "order": "newest", "sort": "newest",
    **{key: "1" for key in KEYS if key not in ("status", "q", "difficulty", "reviewer")},
}  # fmt: skip
CONTENT_TYPES = (
    "application/x-www-form-urlencoded", "application/json", "multipart/form-data; boundary=b",
    "multipart/form-data", f"multipart/form-data; boundary={'b' * 500}", "", ";;;", "ÿ/ÿ",
    "text/plain; charset=klingon", "application/x-www-form-urlencoded; charset=utf-7",
    "application/x-www-form-urlencoded; charset=nonsense", "application/json; charset=utf-16",
)  # fmt: skip
HEADERS = (
    "Authorization", "Cookie", "Host", "Accept", "Accept-Language", "Accept-Encoding", "Range",
    "If-None-Match", "If-Modified-Since", "Referer", "Origin", "X-Forwarded-For", "X-Request-ID",
    "X-Forwarded-Proto", "X-CSRFToken", "HX-Request", "X-Requested-With", "Content-Length",
)  # fmt: skip
BODIES = (
    b"[" * 50_000, b'{"version": ' + b"9" * 5000 + b"}", b'{"status": "approved", "status": "x"}',
    b'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--b--', b"--b\r\n\r\n--b",
    b"\xff\xfe", b"a=%", b"&".join([b"a=1"] * 2000), b"NaN", b'{"version": 1e999}',
)  # fmt: skip

# Who goes before all that was promised is there.
CUT_SHORT = {
    "method": "POST", "path": "/login/", "query": "", "body": b"a",
    "content_type": CONTENT_TYPES[0], "headers": {"Content-Length": "2"},
}  # fmt: skip

texts = st.one_of(st.sampled_from(NASTY), st.text(st.characters(), max_size=50))
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=10,
)


@st.composite
def almost_right(draw: st.DrawFn, spoilt: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Leave some fields out, spoil up to two, and add an unknown one."""
    said = {"request": str(uuid.uuid4()), "token": str(uuid.uuid4()), **RIGHT}
    for name in draw(st.sets(st.sampled_from(sorted(said)), max_size=3)):
        del said[name]
    for name in draw(st.sets(st.sampled_from(sorted(said)), max_size=2)):
        said[name] = draw(spoilt)
    return said | draw(st.dictionaries(texts, spoilt, max_size=1))


def encoded(said: dict[str, Any]) -> bytes:
    return urlencode(
        [
            (name.encode("utf-8", "surrogatepass"), str(value).encode("utf-8", "surrogatepass"))
            for name, given in said.items()
            for value in (given if isinstance(given, list) else [given])
        ]
    ).encode()


def queries() -> st.SearchStrategy[dict[str, Any]]:
    one = st.sampled_from(sorted(RIGHT)).flatmap(
        lambda name: st.fixed_dictionaries({name: st.one_of(st.just(RIGHT[name]), texts)})
    )
    return st.one_of(st.just({}), one, st.dictionaries(texts, texts, max_size=3))


bodies = st.one_of(
    almost_right(texts).map(encoded),
    almost_right(anything).map(lambda value: json.dumps(value).encode()),
    anything.map(lambda value: json.dumps(value).encode()),
    st.sampled_from(BODIES),
    st.binary(max_size=200),
)


def routes(
    patterns: Iterable[URLPattern | URLResolver] = urlpatterns, before: str = ""
) -> Iterator[str]:
    for each in patterns:
        route = before + str(each.pattern).strip("^$").replace("\\Z", "")
        if isinstance(each, URLResolver):
            yield from routes(each.url_patterns, route)
        else:
            yield route


ROUTES = tuple(dict.fromkeys(routes()))
OURS = tuple(route for route in ROUTES if not route.startswith("admin/"))


@st.composite
def requests(draw: st.DrawFn) -> dict[str, Any]:
    def place(found: re.Match[str]) -> str:
        right = st.sampled_from(("kernels", "pairs")) if "kind" in found[0] else st.just("1")
        return draw(st.one_of(right, right, right, texts.map(written)))

    route = draw(st.sampled_from(draw(st.sampled_from((OURS, OURS, ROUTES)))))
    headers = draw(st.one_of(st.just({}), st.dictionaries(st.sampled_from(HEADERS), texts)))
    usual = st.sampled_from(CONTENT_TYPES[:2])
    return {
        "method": draw(st.one_of(st.sampled_from(METHODS[:2]), st.sampled_from(METHODS))),
        "path": "/" + PLACEHOLDER.sub(place, route),
        "query": encoded(draw(queries())).decode(),
        "body": draw(bodies),
        "content_type": draw(st.one_of(usual, usual, st.sampled_from(CONTENT_TYPES))),
        # As a server hands them on: bytes read as Latin-1, on one line.
        "headers": {
            name: re.sub(r"[\r\n\0]", "", value).encode("utf-8", "replace").decode("latin-1")
            for name, value in headers.items()
        },
    }


def written(text: str) -> str:
    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@pytest.fixture
def furnished() -> None:
    """Something stands where addresses point to."""
    make.a_kernel(pk=1)
    make.a_pair(pk=1)
    make.a_release(pk=1)
    make.an_export_run(pk=1, archive="gone.tar.gz")
    make.an_ingest_run(pk=1)
    make.a_bulk_decision(pk=1)


@pytest.mark.parametrize("role", ["anonymous", "reviewer", "curator"])
@settings(
    max_examples=int(os.environ.get("FUZZ_EXAMPLES", "100")),
    suppress_health_check=list(HealthCheck),
)
@given(request=requests())
@example(request=CUT_SHORT)
def test_no_garbage_request_causes_a_server_error(
    role: str, furnished: None, queue_redis: redis.Redis, request: dict[str, Any]
) -> None:
    with undone():
        answer = sent(request, role)

        assert answer.status_code < 500, told(answer)
        if not answer.streaming:
            assert b"Traceback" not in answer.content


NESTED = b"[" * 900 + b"]" * 900
MANY_WORDS = "&".join(f"q=word{n}" for n in range(3_000))
MULTIPART = "multipart/form-data; boundary=b"


def part(value: bytes) -> bytes:
    return b'--b\r\nContent-Disposition: form-data; name="text"\r\n\r\n' + value + b"\r\n--b--"


@pytest.mark.parametrize(
    ("method", "path", "query", "content_type", "body", "code"),
    [
        *(
            ("POST", "/api/v1/pairs/1/decision", "", "application/json",
             b'{"status": "approved", "version": 1, "%s": %s}' % (key, NESTED), 400)
            for key in (b"tags", b"reasons", b"comment", b"request", b"difficulty")
        ),
        ("GET", "/history", "before=0001-01-01T00:00:00%2B23:59", "", b"", 200),
        ("GET", "/history", "before=9999-12-31T23:59:59-23:59", "", b"", 200),
        ("GET", "/history.csv", "before=9999-12-31T23:59:59-23:59", "", b"", 200),
        ("GET", "/find", MANY_WORDS, "", b"", 400),
        ("GET", "/api/v1/kernels/", MANY_WORDS, "", b"", 400),
        ("POST", "/api/v1/next", MANY_WORDS, "", b"", 400),
        ("POST", "/kernels/1/skip", "", CONTENT_TYPES[0],
         urlencode({"queue": MANY_WORDS}).encode(), 302),
        ("POST", "/bulk", "", CONTENT_TYPES[0],
         urlencode({"filter": MANY_WORDS, "status": "approved"}).encode(), 400),
        ("POST", "/exports/", "", CONTENT_TYPES[0],
         urlencode({"formats": "jsonl", "unit": "function", "hardware": "cuda", "splits": "90/5/5",
                    "seed": "0", "where": "word " * 3_000}).encode(), 400),
        ("POST", "/kernels/1/question", "", MULTIPART, part(b"why\0"), 400),
        ("POST", "/kernels/1/question", "", f"{MULTIPART}; charset=utf-7", part(b"+AAA-"), 400),
        ("POST", "/kernels/1/question", "", f"{MULTIPART}; charset=utf-7", part(b"+2AA-"), 400),
        ("POST", "/kernels/1/question", "", f"{MULTIPART}; charset=base64", part(b"why"), 400),
    ],
)  # fmt: skip
def test_a_request_beyond_the_limits_is_refused(
    furnished: None, method: str, path: str, query: str, content_type: str, body: bytes, code: int
) -> None:
    request = {
        "method": method, "path": path, "query": query, "content_type": content_type,
        "body": body, "headers": {},
    }  # fmt: skip

    answer = sent(request, "curator")

    assert answer.status_code == code, told(answer)
    if answer.streaming:
        assert b"".join(answer.streaming_content).startswith(b"at,kind,who")
    if path.startswith("/api/"):
        assert answer.json()["error"].endswith(".")


@contextmanager
def undone() -> Iterator[None]:
    """Each request meets what was furnished, not what those before it have left."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def sent(request: dict[str, Any], role: str) -> Any:
    client, headers = Client(raise_request_exception=False), dict(request["headers"])
    if role != "anonymous":
        user = person(role)
        client.force_login(user)
        headers |= {"Authorization": f"Bearer {tokens.make(user, 'tests')}"}
    # The body as a server gives it: what is there. Django's own raises where more is asked for.
    server: dict[str, Any] = {
        "QUERY_STRING": request["query"],
        "wsgi.input": io.BytesIO(request["body"]),
    }
    return client.generic(
        request["method"],
        request["path"],
        request["body"],
        request["content_type"],
        headers=headers,
        **server,
    )


def person(role: str) -> User:
    makers = {"reviewer": make.a_reviewer, "curator": make.a_curator}
    return User.objects.filter(username=role).first() or makers[role](username=role)


def told(answer: Any) -> str:
    fault = getattr(answer, "exc_info", None)
    return f"{answer.status_code}: {fault[0].__name__}: {str(fault[1])[:300]}" if fault else "500"


def test_every_url_pattern_is_fuzzed() -> None:
    assert len(ROUTES) > 100
    assert {"healthz", "metrics", "login/", "api/v1/next", "kernels/<int:pk>/"} <= set(OURS)
