"""Disputes: two reviewers disagree, and a curator who is neither of them settles."""

import json
import uuid
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from curation.decisions import second_reviews as second
from curation.decisions.bulk import dry_count
from curation.decisions.decide import undo
from curation.decisions.figures import keep
from curation.decisions.queue import next_item
from curation.errors import CurationError
from curation.models import Kernel, Pair, SecondReview, Status
from curation.search.filters import Filter
from curation.web import dashboard
from tests import factories as make

pytestmark = pytest.mark.django_db
Item = TypeVar("Item", Kernel, Pair)


def page(user: User, url: str) -> str:
    return make.a_browser(user).get(url).content.decode()


@pytest.fixture
def ada() -> User:
    return make.a_curator(username="ada")


@pytest.fixture
def bob() -> User:
    return make.a_curator(username="bob")


@pytest.fixture
def eve() -> User:
    return make.a_curator(username="eve")


@pytest.fixture
def kernel(ada: User, bob: User) -> Kernel:
    """Approved by ada, rejected by bob."""
    return disputed(make.a_kernel(name="doubtful"), ada, bob)


def disputed(item: Item, first: User, other: User) -> Item:
    made = make.decided(item, first, comment="Clear masks.")
    review = SecondReview.objects.filter(first=made).first() or make.a_second_review(first=made)
    second.give(
        review=review,
        status=Status.REJECTED,
        user=other,
        request=uuid.uuid4(),
        reasons=["Incorrect result"],
        comment="The last block is read without a mask.",
    )
    item.refresh_from_db()
    return item


# --- The queue and the filter ---------------------------------------------------------------
@pytest.mark.parametrize("make_item", [make.a_kernel, make.a_pair])
def test_a_dispute_is_first_in_the_queue_of_a_curator(
    ada: User, bob: User, eve: User, make_item: Any
) -> None:
    make.a_kernel(priority=10**6)
    make.a_question(asked=eve)
    item = disputed(make_item(), ada, bob)

    assert next_item(eve) == item


def test_a_dispute_is_offered_to_one_curator_who_is_neither_side(
    kernel: Kernel, ada: User, bob: User, eve: User
) -> None:
    for user in (ada, bob, make.a_reviewer()):
        assert next_item(user) is None

    assert next_item(eve) == kernel
    assert next_item(make.a_curator()) is None


def test_a_skipped_dispute_returns_at_the_end_of_the_queue(kernel: Kernel, eve: User) -> None:
    other = make.a_kernel()
    make.a_skip(kernel=kernel, user=eve)

    assert next_item(eve) == other
    make.decided(other, eve)
    assert next_item(eve) == kernel


def test_a_retired_disputed_item_is_not_in_the_queue(kernel: Kernel, eve: User) -> None:
    Kernel.objects.filter(pk=kernel.pk).update(status=Status.RETIRED)

    assert next_item(eve) is None


def test_a_queue_filtered_by_disputes_contains_only_disputes(kernel: Kernel, eve: User) -> None:
    make.a_kernel()
    only = Filter(disputed=("yes",))

    assert next_item(eve, only) == kernel
    assert next_item(eve, only, leave=kernel) is None


def test_the_filter_finds_disputed_kernels_and_pairs(kernel: Kernel, ada: User, bob: User) -> None:
    pair, free = disputed(make.a_pair(), ada, bob), make.a_kernel()
    settled = disputed(make.a_kernel(), ada, bob)
    make.decided(settled, make.a_curator(), Status.REJECTED)
    yes, no = Filter(disputed=("yes",)), Filter.from_text("disputed=no")

    assert list(yes.of(Kernel.objects.all())) == [kernel]
    assert list(yes.of(Pair.objects.all())) == [pair]
    assert set(no.of(Kernel.objects.all())) == {free, settled}
    assert not no.of(Pair.objects.all()).exists()
    assert Filter(disputed=("no", "yes")).of(Kernel.objects.all()).count() == 3


def test_the_dashboard_counts_disputes_and_links_to_the_list(
    kernel: Kernel, ada: User, bob: User, eve: User
) -> None:
    disputed(make.a_pair(), ada, bob)
    keep(dashboard.NAME, dashboard.gather())

    shown = page(eve, reverse("dashboard"))

    assert "<strong>2</strong> disputed" in shown
    for kind, words in (("kernels", "1 kernel"), ("pairs", "1 pair")):
        assert f'?items={kind}&amp;disputed=yes">{words}</a>' in shown
    assert f'{reverse("queue")}?disputed=yes">Settle disputes' in shown
    assert "doubtful" in page(eve, f"{reverse('find')}?items=kernels&disputed=yes")


# --- The page -------------------------------------------------------------------------------
def test_the_page_of_a_dispute_shows_both_verdicts_with_reasons(kernel: Kernel, eve: User) -> None:
    shown = page(eve, kernel.get_absolute_url())

    for words in (
        "Your decision settles the dispute", "First review: <span", "Second review: <span",
        "ada,", "bob,", "Clear masks.", "Incorrect result",
        "The last block is read without a mask.",
    ):  # fmt: skip
        assert words in shown
    assert "disabled" not in shown


def test_a_settled_dispute_stays_in_the_history_of_the_item(kernel: Kernel, eve: User) -> None:
    make.decided(kernel, eve, Status.REJECTED, comment="Bob is right.")

    shown = page(eve, f"{kernel.get_absolute_url()}?tab=history")

    assert "The two reviewers disagreed." in shown
    for words in ("The last block is read without a mask.", "Settled: <span", "Bob is right."):
        assert words in shown
    assert "settles the dispute" not in shown


def test_the_log_names_the_decision_that_settled_a_dispute(kernel: Kernel, eve: User) -> None:
    make.decided(kernel, eve, Status.REJECTED)

    assert "dispute settled: approved to rejected" in page(eve, reverse("history"))


@pytest.mark.parametrize("side", ["ada", "bob"])
def test_a_disputing_reviewer_reads_that_another_curator_has_to_settle(
    kernel: Kernel, side: str
) -> None:
    shown = page(User.objects.get(username=side), kernel.get_absolute_url())

    assert "A curator who is neither has to settle it." in shown
    assert shown.count('type="submit" data-key="a" disabled') == 1


def test_a_reviewer_reads_that_a_curator_has_to_settle(kernel: Kernel) -> None:
    assert "A curator has to settle it." in page(make.a_reviewer(), kernel.get_absolute_url())


# --- Settling -------------------------------------------------------------------------------
@pytest.mark.parametrize("status", [Status.APPROVED, Status.REJECTED])
def test_a_third_curator_settles_either_way(kernel: Kernel, eve: User, status: Status) -> None:
    made = make.decided(kernel, eve, status)

    kernel.refresh_from_db()
    review = SecondReview.objects.get()
    assert (kernel.status, review.state, review.settled_by) == (status, "settled", made)


def test_the_first_reviewer_can_not_undo_a_disputed_decision(kernel: Kernel, ada: User) -> None:
    with pytest.raises(CurationError, match="A curator who is neither"):
        undo(decision=kernel.decisions.get(), user=ada, request=uuid.uuid4())

    kernel.refresh_from_db()
    assert (kernel.status, SecondReview.objects.get().state) == (Status.APPROVED, "disputed")


def test_undoing_the_settlement_reopens_the_dispute(kernel: Kernel, eve: User) -> None:
    made = make.decided(kernel, eve, Status.REJECTED)

    undo(decision=made, user=eve, request=uuid.uuid4())

    kernel.refresh_from_db()
    review = SecondReview.objects.get()
    assert (kernel.status, review.state, review.settled_by) == (Status.APPROVED, "disputed", None)


def test_a_bulk_decision_skips_items_with_an_open_second_review(kernel: Kernel, eve: User) -> None:
    waiting, free = make.a_kernel(), make.a_kernel()
    make.a_second_review(first=make.a_decision(kernel=waiting))

    assert dry_count(Filter(items=("kernels",)), Status.REJECTED, eve).kernels == 1
    assert free.status == Status.PENDING


# --- Permissions ----------------------------------------------------------------------------
# For each person: reading the two verdicts, settling by the page and by a token, asking, undoing.
ANSWERS = {
    "anonymous": (302, 401, 302, 401, 302, 302),
    "no group": (403, 403, 403, 403, 403, 403),
    "reviewer": (200, 200, 409, 409, 302, 302),
    "first side": (200, 200, 409, 409, 302, 302),
    "second side": (200, 200, 409, 409, 302, 302),
    "other curator": (200, 200, 302, 200, 302, 302),
    "superuser": (200, 200, 302, 200, 302, 302),
}
SETTLES = ("other curator", "superuser")


@pytest.mark.parametrize("by_program", [False, True])
@pytest.mark.parametrize("role", ANSWERS)
def test_each_role_gets_the_expected_answer_for_a_disputed_item(
    kernel: Kernel, ada: User, bob: User, eve: User, role: str, by_program: bool
) -> None:
    user = {
        "no group": make.a_person, "reviewer": make.a_reviewer, "first side": lambda: ada,
        "second side": lambda: bob, "other curator": lambda: eve, "superuser": make.a_superuser,
    }.get(role, lambda: None)()  # fmt: skip
    browser = make.a_browser(user) if user else Client()
    headers = make.bearer(user) if user else {}
    at = ["kernels", kernel.pk]
    wish = {"status": "rejected", "version": 2, "request": str(uuid.uuid4()), "comment": "So."}
    # Too long ago for the second side to withdraw it.
    SecondReview.objects.update(given_at=timezone.now() - timedelta(minutes=2))

    shown = browser.get(kernel.get_absolute_url())
    told = Client().get(reverse("api-item", args=at), headers=headers)
    asked = browser.post(reverse("ask", args=at), {"text": "Which block?"})
    undone = browser.post(reverse("undo"))
    if by_program:
        url = reverse("api-decision", args=at)
        settled = Client().post(url, json.dumps(wish), "application/json", headers=headers)
    else:
        settled = browser.post(reverse("decide", args=at), wish)

    page_code, api_code, by_page, by_token, ask_code, undo_code = ANSWERS[role]
    assert (shown.status_code, told.status_code) == (page_code, api_code)
    assert settled.status_code == (by_token if by_program else by_page)
    assert (asked.status_code, undone.status_code) == (ask_code, undo_code)
    for answer, code in ((shown, page_code), (told, api_code)):
        assert ("Clear masks." in answer.content.decode()) == (code == 200)
    state = SecondReview.objects.get().state
    assert state == ("settled" if role in SETTLES else "disputed")
