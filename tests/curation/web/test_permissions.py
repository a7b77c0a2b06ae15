"""Every address of the site by everybody by every method: what each is answered.

The admin's addresses have a table of their own, of models, in `tests/curation/admin`.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import pytest
import redis
from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Model
from django.test import Client
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone

from curation.models import ExportRun
from curation.urls import urlpatterns
from tests import factories as make

METHODS = ("GET", "POST", "PUT", "DELETE")
PEOPLE = ("anonymous", "deactivated", "outsider", "reviewer", "curator", "superuser")
# Tokens that open nothing; each belonged to a curator.
DEAD_TOKENS = ("missing", "guessed", "revoked", "expired", "of a deactivated person")

# For GET, POST, PUT and DELETE. A form that is empty is refused with 400, or leads on with 302.
READ = (200, 405, 405, 405)
WRITE = (405, 302, 405, 405)
TAKES_FORM = (405, 400, 405, 405)
BOTH = (200, 400, 405, 405)
NO = (403, 403, 403, 403)

# The answers to a reviewer and to a curator; an outsider is always refused. A superuser is answered
# as a curator, a person with a deactivated account as one without a login.
EXPECTED: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "queue": ((302, 405, 405, 405),) * 2,
    "claim": (TAKES_FORM,) * 2,
    "undo": (WRITE,) * 2,
    "kernel": (READ,) * 2,
    "pair": (READ,) * 2,
    "text": (READ,) * 2,
    "edit-pair": (NO, READ),
    "save-version": (NO, TAKES_FORM),
    "drafts": (NO, READ),
    "draft": (NO, BOTH),
    "finish-draft": (NO, TAKES_FORM),
    "decide": (TAKES_FORM,) * 2,
    "skip": (WRITE,) * 2,
    "ask": (BOTH,) * 2,
    "pin": (NO, WRITE),
    "validate-item": (NO, WRITE),
    "validate-list": (NO, (200, 302, 405, 405)),
    "try-case": (WRITE,) * 2,
    "welcome": (NO, (200, 405, 405, 405)),
    "queue-ingest": (NO, WRITE),
    "decide-cluster": (NO, WRITE),
    "find": (READ,) * 2,
    "save-view": (WRITE,) * 2,
    "comment": (WRITE,) * 2,
    "change-comment": ((405, 404, 405, 405),) * 2,
    "notices": (READ,) * 2,
    "read-notices": (WRITE,) * 2,
    "choose-notices": (WRITE,) * 2,
    "guidelines": (READ,) * 2,
    "guideline": (READ,) * 2,
    "edit-guideline": (NO, BOTH),
    "guideline-example": (NO, WRITE),
    "selected": ((302, 405, 405, 405),) * 2,
    "bulk": (NO, BOTH),
    "finish-bulk": (NO, WRITE),
    "undo-bulk": (NO, WRITE),
    "dashboard": (READ,) * 2,
    "history": (READ,) * 2,
    "history-csv": (READ,) * 2,
    "history-jsonl": (READ,) * 2,
    "people": (NO, BOTH),
    "revoke-invitation": (NO, WRITE),
    "token": (WRITE,) * 2,
    "keys": (READ,) * 2,
    "guide": (READ,) * 2,
    "runs": (NO, READ),
    "run": (NO, READ),
    "cancel-run": (NO, WRITE),
    "retry-run": (NO, WRITE),
    "preview-export": (NO, (405, 200, 405, 405)),
    "export-card": (NO, (404, 405, 405, 405)),
    "export-changes": (NO, (404, 405, 405, 405)),
    "push-release": (NO, (404, 404, 405, 405)),
    "exports": (NO, (200, 200, 405, 405)),
    "download-export": (NO, (302, 405, 405, 405)),
}
# For everybody with an account, whether or not it has a group.
OWN: dict[str, tuple[int, ...]] = {"account": READ, "password": BOTH}
# The same for everybody who may review; 405 comes before anything else.
API: dict[str, tuple[int, ...]] = {
    "api-next": (405, 200, 405, 405),
    "api-items": READ,
    "api-item": READ,
    "api-decision": TAKES_FORM,
    "api-claim": (405, 200, 405, 200),
}
# What needs no login, for somebody without one and for everybody with one.
OPEN: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "healthz": (READ,) * 2,
    # To this machine; `tests/curation/operations/test_metrics.py` says who else.
    "metrics": (READ,) * 2,
    "icon": ((302,) * 4,) * 2,
    "login": ((200, 200, 200, 405), (302,) * 4),
    # By the second method one is logged out, and by the third nobody.
    "logout": ((302,) * 4, (405, 302, 302, 302)),
    "api-description": ((200,) * 4,) * 2,
    # A link that was never sent. `test_accounts.py` has those that work.
    "join": ((410, 410, 405, 405),) * 2,
}

# The row that an address is about, unless it is a kernel.
ROWS: dict[str, Callable[..., Model]] = {
    **dict.fromkeys(("pair", "edit-pair", "save-version", "try-case"), make.a_pair),
    **dict.fromkeys(("draft", "finish-draft"), make.a_draft),
    **dict.fromkeys(("finish-bulk", "undo-bulk"), make.a_bulk_decision),
    **dict.fromkeys(("run", "cancel-run", "retry-run"), make.an_export_run),
    "revoke-invitation": make.an_invitation,
    "download-export": partial(make.an_export_run, archive="gone.tar.gz"),
}

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]


def named(patterns: Iterable[URLPattern | URLResolver] = urlpatterns) -> Iterator[URLPattern]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            assert pattern.name, f"{pattern} has no name"
            yield pattern
        elif pattern.namespace != "admin":
            yield from named(pattern.url_patterns)


PARAMETERS = {pattern.name: pattern.pattern.converters for pattern in named()}


def address(name: str) -> str:
    factory: Callable[..., Model] = ROWS.get(name, make.a_kernel)
    row = factory()
    values = {
        "pk": row.pk, "kind": "export" if isinstance(row, ExportRun) else "kernels",
        "column": "standalone_source", "token": "guessed", "operation": "reduction",
    }  # fmt: skip
    return reverse(name, kwargs={each: values[each] for each in PARAMETERS[name]})


def person(role: str) -> User | None:
    makers = {
        "outsider": make.a_person, "reviewer": make.a_reviewer, "curator": make.a_curator,
        "superuser": make.a_superuser, "deactivated": make.a_curator,
    }  # fmt: skip
    return makers[role]() if role in makers else None


def browser(role: str) -> Client:
    user = person(role)
    client = make.a_browser(user) if user else Client()
    if user and role == "deactivated":
        User.objects.filter(pk=user.pk).update(is_active=False)
    return client


def dead_token(kind: str) -> dict[str, str]:
    user = make.a_curator()
    headers = make.bearer(user)
    if kind == "revoked":
        user.api_tokens.all().delete()
    if kind == "expired":
        user.api_tokens.update(expires_at=timezone.now())
    if kind == "of a deactivated person":
        User.objects.filter(pk=user.pk).update(is_active=False)
    secret = {"missing": "", "guessed": "curation_guessed"}.get(kind)
    return headers if secret is None else {"Authorization": f"Bearer {secret}"}


def test_every_url_name_is_in_the_permission_table() -> None:
    assert {*EXPECTED, *OWN, *API, *OPEN} == set(PARAMETERS)


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("role", PEOPLE)
def test_a_public_page_answers_every_role(name: str, role: str, queue_redis: redis.Redis) -> None:
    client = browser(role)
    url = address(name)

    answers = [client.generic(method, url) for method in METHODS]

    known = role not in ("anonymous", "deactivated")
    assert tuple(answer.status_code for answer in answers) == OPEN[name][known]


@pytest.mark.parametrize("name", [*EXPECTED, *OWN])
@pytest.mark.parametrize("role", PEOPLE)
def test_a_page_gives_each_role_its_expected_status(name: str, role: str) -> None:
    client = browser(role)
    url = address(name)
    expected = {
        "anonymous": (302,) * 4,
        "deactivated": (302,) * 4,
        "outsider": OWN.get(name, NO),
        "reviewer": OWN[name] if name in OWN else EXPECTED[name][0],
    }.get(role, OWN[name] if name in OWN else EXPECTED.get(name, ((), ()))[1])

    answers = [client.generic(method, url) for method in METHODS]

    codes = tuple(answer.status_code for answer in answers)
    # Whether the method or the person is refused first is the decorators' matter.
    assert all(
        code == wanted or {code, wanted} == {403, 405}
        for code, wanted in zip(codes, expected, strict=True)
    ), codes
    if role in ("anonymous", "deactivated"):
        login = reverse(settings.LOGIN_URL)
        assert all(answer.headers["Location"].startswith(login) for answer in answers)


@pytest.mark.parametrize("name", [*EXPECTED, *OWN])
def test_an_api_token_does_not_open_browser_pages(name: str) -> None:
    headers, url = make.bearer(make.a_superuser()), address(name)

    for method in METHODS:
        answer = Client().generic(method, url, headers=headers)
        assert answer.status_code == 302, method
        assert answer.headers["Location"].startswith(reverse(settings.LOGIN_URL)), method


@pytest.mark.parametrize("name", API)
@pytest.mark.parametrize("role", [*PEOPLE[2:], *DEAD_TOKENS])
def test_the_api_gives_each_role_its_expected_status(name: str, role: str) -> None:
    client, user = Client(), person(role)
    headers = make.bearer(user) if user else dead_token(role)
    url = address(name)
    refused = 401 if role in DEAD_TOKENS else {"outsider": 403}.get(role)

    for method, wanted in zip(METHODS, API[name], strict=True):
        answer = client.generic(method, url, headers=headers)
        assert answer.status_code == (refused if refused and wanted != 405 else wanted), method
        assert answer.status_code == 200 or answer.json()["error"].endswith((".", "…”."))


def test_the_api_description_is_public() -> None:
    found = Client().get(reverse("api-description")).json()

    paths = set(found["paths"])
    for name in API:
        url = address(name).replace("kernels", "{kind}")
        assert "/".join("{id}" if part.isdecimal() else part for part in url.split("/")) in paths


def test_a_form_without_a_csrf_token_is_refused() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.a_curator())

    for name in (
        "undo", "decide", "skip", "bulk", "token", "claim", "password", "people", "join",
        "revoke-invitation", "welcome", "queue-ingest",
    ):  # fmt: skip
        assert client.post(address(name)).status_code == 403, name


def test_a_browser_session_does_not_open_the_api() -> None:
    client = make.a_browser(make.a_curator())

    assert client.get(address("api-items")).status_code == 401


def test_a_reviewer_can_not_open_admin_queue_or_source_pages() -> None:
    client = make.a_browser(make.a_reviewer())

    for url in ("/admin/", "/admin/django_rq/dashboard/", "/admin/curation/repository/"):
        answer = client.get(url, follow=True)
        assert answer.status_code in (403, 404), url
        assert answer.status_code == 404 or "These people may" in answer.content.decode()
