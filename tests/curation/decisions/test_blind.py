"""While a second review waits, no page tells the second reviewer what was decided."""

import json
import re
import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from curation.decisions.bulk import dry_count
from curation.decisions.decide import ItemClassification
from curation.decisions.queue import next_item
from curation.models import Decision, Kernel, Status
from curation.search.filters import Filter
from tests import factories as make

pytestmark = pytest.mark.django_db
CORRECTED = ItemClassification("scan", "easy", ("prefix",))


@pytest.fixture
def kernel(settings: Any) -> Kernel:
    """Approved and corrected by ada, waiting for a second review."""
    settings.SECOND_REVIEW_PERCENT = {"*": 100.0}
    kernel = make.a_kernel(name="hidden_one", operation_type="matmul")
    ada = make.a_reviewer(username="ada")
    make.decided(kernel, ada, comment="Masked well", kind=CORRECTED)
    return kernel


@pytest.fixture
def bob() -> User:
    return make.a_curator(username="bob", is_superuser=True)


@pytest.fixture
def browser(bob: User) -> Client:
    return make.a_browser(bob)


def rows(browser: Client, query: str) -> list[tuple[str, str]]:
    page = browser.get(f"{reverse('find')}?{query}").content.decode()
    names = re.findall(r'value="\d+" aria-label="Select ([^"]+)"', page)
    return list(zip(names, re.findall(r'<span class="status \w+">([^<]+)', page), strict=True))


def test_the_list_hides_the_first_decision_from_the_second_reviewer(
    kernel: Kernel, browser: Client
) -> None:
    assert rows(browser, "") == [("hidden_one", "Second review")]


def test_the_first_reviewer_sees_the_status(kernel: Kernel) -> None:
    ada = make.a_browser(User.objects.get(username="ada"))

    assert rows(ada, "status=approved") == [("hidden_one", "Approved")]


def test_no_filter_reveals_the_first_decision(kernel: Kernel, browser: Client) -> None:
    statuses = [f"status={status}" for status in ("approved", "rejected", "pending")]

    for query in (*statuses, "reviewer=ada", "decided=2020-01-01.."):
        assert rows(browser, query) == [], query


def test_a_filtered_queue_does_not_reveal_the_first_decision(kernel: Kernel, bob: User) -> None:
    assert next_item(bob, Filter(status=("approved",))) is None
    assert next_item(bob, Filter(operation=("scan",))) == kernel


def test_the_count_of_a_bulk_decision_does_not_reveal_the_first_decision(
    kernel: Kernel, bob: User
) -> None:
    counts = [dry_count(Filter(q=("hidden_one",)), status, bob).total for status in Status]

    assert counts == [0] * len(Status)


def test_the_item_page_does_not_reveal_the_first_decision(kernel: Kernel, browser: Client) -> None:
    for tab in ("standalone", "history", "alike"):
        shown = browser.get(f"{kernel.get_absolute_url()}?tab={tab}").content.decode()
        assert "Second review</span>" in shown
        for word in ("Approved", "Masked well", ">ada", "by ada"):
            assert word not in shown, (tab, word)


def test_the_page_of_another_version_does_not_reveal_the_first_decision(
    kernel: Kernel, browser: Client
) -> None:
    other = make.a_kernel(operation_type="scan", previous=kernel)

    for tab in ("alike", "history"):
        shown = browser.get(f"{other.get_absolute_url()}?tab={tab}").content.decode()
        assert "Approved" not in shown
    assert "hidden_one" not in browser.get(f"{other.get_absolute_url()}?tab=alike").content.decode()


@pytest.mark.parametrize("name", ["history", "history-csv", "history-jsonl"])
def test_the_log_does_not_reveal_the_first_decision(
    kernel: Kernel, browser: Client, name: str
) -> None:
    make.a_decision(comment="Something else")

    answer: Any = browser.get(reverse(name))
    shown = (b"".join(answer.streaming_content) if answer.streaming else answer.content).decode()

    assert "Something else" in shown
    for word in ("hidden_one", "Masked well", "ada"):
        assert word not in shown


def test_the_log_shows_both_reviews_after_the_second_review(
    kernel: Kernel, browser: Client
) -> None:
    browser.post(
        reverse("decide", args=["kernels", kernel.pk]),
        {"status": "rejected", "version": 2, "request": uuid.uuid4(), "comment": "No mask"},
    )

    shown = browser.get(reverse("history")).content.decode()

    for words in ("Masked well", "second review: rejected, disagrees with the first", "No mask"):
        assert words in shown


def test_the_api_does_not_reveal_the_first_decision(kernel: Kernel, bob: User) -> None:
    headers = make.bearer(bob)

    def get(path: str) -> Any:
        return json.loads(Client().get(f"/api/v1/kernels/{path}", headers=headers).content)

    assert [item["status"] for item in get("")["items"]] == ["pending"]
    assert get("?status=approved")["items"] == get("?reviewer=ada")["items"] == []
    assert (get(f"{kernel.pk}/")["status"], get(f"{kernel.pk}/")["verdicts"]) == ("pending", [])


def test_the_api_answers_do_not_differ_between_approved_and_rejected_items(
    kernel: Kernel, bob: User
) -> None:
    """Also in the version, and in what a claim and the next item of the queue answer."""
    other, ada = make.a_kernel(operation_type="matmul"), User.objects.get(username="ada")
    make.decided(other, ada, "rejected", comment="No mask", kind=CORRECTED)
    headers = make.bearer(bob)
    identity = (
        "id", "name", "url", "content_hash",
        "function_source", "standalone_source", "launcher_source",
    )  # fmt: skip

    def seen(method: str, path: str) -> Any:
        return json.loads(Client().generic(method, f"/api/v1/{path}", headers=headers).content)

    def without_identity(item: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in item.items() if key not in identity}

    listed = seen("GET", "kernels/")["items"]
    read = [seen("GET", f"kernels/{each.pk}/") for each in (kernel, other)]
    claimed = [seen("POST", f"kernels/{each.pk}/claim") for each in (kernel, other)]

    for first, second in (listed, read):
        assert without_identity(first) == without_identity(second)
    assert [set(answer) for answer in claimed] == [{"token", "until"}] * 2
    assert seen("POST", "next")["item"]["status"] == "pending"


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_an_api_retry_of_a_second_review_does_not_decide(
    kernel: Kernel, bob: User, status: str
) -> None:
    headers = make.bearer(bob)
    wish = {"status": status, "version": 2, "request": str(uuid.uuid4())}

    for _ in range(2):
        answer = Client().post(
            f"/api/v1/kernels/{kernel.pk}/decision", json.dumps(wish), "application/json",
            headers=headers,
        )  # fmt: skip
        assert (answer.status_code, answer.json()) == (200, {"second_review": True})

    kernel.refresh_from_db()
    assert (kernel.version, Decision.objects.count()) == (2, 1)


def test_the_author_of_an_edit_is_not_its_second_reviewer(kernel: Kernel, bob: User) -> None:
    pair = make.a_pair(author=bob)
    make.a_second_review(first=make.a_decision(pair=pair))
    make.decided(kernel, User.objects.get(username="ada"), "rejected")

    assert next_item(bob) is None
