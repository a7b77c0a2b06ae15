"""The JSON interface: the same rules as in the browser, every refusal a sentence."""

import json
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from curation.models import ApiToken, Decision, Kernel
from tests import factories as make

pytestmark = pytest.mark.django_db


class Caller:
    def __init__(self, user: User) -> None:
        self.user = user
        self.headers = make.bearer(user)

    def get(self, path: str) -> Any:
        return Client().get(f"/api/v1/{path}", headers=self.headers)

    def post(self, path: str, **body: Any) -> Any:
        return Client().post(
            f"/api/v1/{path}", json.dumps(body), "application/json", headers=self.headers
        )


@pytest.fixture
def caller() -> Caller:
    return Caller(make.a_reviewer(username="ada"))


def test_the_api_returns_a_list_page_by_page(caller: Caller) -> None:
    wanted = [make.a_kernel(operation_type="scan").pk for _ in range(5)]
    make.a_kernel()

    seen: list[int] = []
    after = ""
    while True:
        page = caller.get(f"kernels/?operation=scan&size=2{after}").json()
        seen += [item["id"] for item in page["items"]]
        if not page["after"]:
            break
        after = f"&after={page['after']}"

    assert seen == wanted[::-1]


def test_the_api_returns_an_item_with_its_sources(caller: Caller) -> None:
    kernel = make.a_kernel()

    item = caller.get(f"kernels/{kernel.pk}/").json()

    assert item["standalone_source"] == kernel.standalone_source
    assert item["version"] == 1


def test_the_api_claims_the_next_item_and_decides_it_once(caller: Caller) -> None:
    kernel = make.a_kernel()
    item = caller.post("next").json()["item"]
    wish = {"status": "approved", "version": item["version"], "request": str(uuid.uuid4())}

    first = caller.post(f"kernels/{item['id']}/decision", **wish)
    again = caller.post(f"kernels/{item['id']}/decision", **wish)

    assert item["id"] == kernel.pk
    assert first.json() == again.json() == {"status": "approved", "version": 2}
    assert Decision.objects.get().user == caller.user
    assert caller.post("next").json() == {"item": None}


def test_an_api_decision_can_correct_the_classification(caller: Caller) -> None:
    kernel = make.a_kernel(tags=["kept"])

    caller.post(
        f"kernels/{kernel.pk}/decision", status="approved", version=1, operation_type="scan"
    )

    kernel = Kernel.objects.get()
    assert (kernel.operation_type, kernel.tags, kernel.kind_corrected) == ("scan", ["kept"], True)


@pytest.mark.parametrize(
    ("body", "code", "sentence"),
    [
        ({"status": "approved", "version": 7}, 409, "has changed meanwhile"),
        ({"status": "retired", "version": 1}, 400, "approved or rejected"),
        ({"status": "approved", "version": "1"}, 400, "version is the number"),
        ({"status": "approved", "version": 1, "request": "x"}, 400, "not a UUID"),
        ({"status": "approved", "version": 1, "reasons": "x"}, 400, "list of texts"),
        ({"status": "approved", "version": 1, "difficulty": "odd"}, 400, "difficulty is one of"),
        # The word “none” is one of filters: no item can be set to it.
        ({"status": "approved", "version": 1, "difficulty": "none"}, 400, "difficulty is one of"),
        ({"status": "approved", "version": 1, "operation_type": "none"}, 400, "_type is one of"),
        ({"status": "rejected", "version": 1, "reason": "x"}, 400, "'reason' is not one of status"),
    ],
)
def test_the_api_refuses_a_decision_with_a_sentence(
    caller: Caller, body: dict[str, Any], code: int, sentence: str
) -> None:
    answer = caller.post(f"kernels/{make.a_kernel().pk}/decision", **body)

    assert answer.status_code == code
    assert sentence in answer.json()["error"]
    assert not Decision.objects.exists()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("kernels/?colour=red", 400),
        ("kernels/?size=0", 400),
        ("kernels/99/", 404),
        (f"kernels/?size={'9' * 5000}", 400),
        ("kernels/one/", 404),
        ("repositories/", 404),
        ("kernels/1/2/3", 404),
    ],
)
def test_the_api_explains_an_invalid_list_or_missing_item(
    caller: Caller, path: str, code: int
) -> None:
    answer = caller.get(path)

    assert answer.status_code == code
    assert answer.json()["error"]


def test_the_api_refuses_an_item_claimed_by_another_user(caller: Caller) -> None:
    claim = make.a_claim()

    for path in ("claim", "decision"):
        answer = caller.post(f"kernels/{claim.kernel_id}/{path}", status="approved", version=1)
        assert answer.status_code == 409


def test_a_token_is_stored_as_a_hash(caller: Caller) -> None:
    secret = caller.headers["Authorization"].split()[1]

    assert secret not in json.dumps(list(ApiToken.objects.values("name", "digest")))


def test_the_api_answers_503_with_a_retry_hint_without_a_database(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(secret: str) -> None:
        raise OperationalError("the database system is starting up")

    monkeypatch.setattr("curation.web.api.owner", gone)

    answer = caller.post("next")

    assert answer.status_code == 503
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["error"] == "The database can't be used. Try again soon."


@pytest.mark.parametrize(
    "body",
    [
        b'{"status": "approved", "version": 1, "comment": "a\\u0000b"}',
        b'{"status": "approved", "version": 1, "reasons": ["\\ud800"]}',
        b'{"status": "approved", "version": 1, "tags": ["\\udfff"]}',
        b'{"status": "approved", "version": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
    ],
    ids=["zero byte", "half a character", "the other half", "endless number", "endless list"],
)
def test_the_api_refuses_json_text_that_a_database_can_not_store(
    caller: Caller, body: bytes
) -> None:
    kernel = make.a_kernel()

    answer = Client().post(
        f"/api/v1/kernels/{kernel.pk}/decision", body, "application/json", headers=caller.headers
    )

    assert answer.status_code == 400
    assert Decision.objects.count() == 0
