"""Second reviews: drawn by the content, blind, settled by a curator, and counted."""

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from curation.decisions.agreement import agreement
from curation.decisions.decide import undo
from curation.decisions.queue import next_item
from curation.models import Agreement, Kernel, Notice, SecondReview, Status
from tests import factories as make


@pytest.fixture
def ada(db: None) -> User:
    return make.a_reviewer(username="ada")


@pytest.fixture(autouse=True)
def everything(settings: Any) -> None:
    settings.SECOND_REVIEW_PERCENT = {"*": 100.0}


def say(user: User, kernel: Kernel, status: str) -> Any:
    kernel.refresh_from_db()
    return make.a_browser(user).post(
        reverse("decide", args=["kernels", kernel.pk]),
        {"status": status, "version": kernel.version, "request": uuid.uuid4(), "comment": "So."},
    )


def test_the_configured_share_of_decisions_gets_a_second_review(ada: User, settings: Any) -> None:
    settings.SECOND_REVIEW_PERCENT = {"*": 25.0}
    for _ in range(80):
        make.decided(make.a_kernel(), ada)

    assert 5 < SecondReview.objects.count() < 40


def test_each_category_can_have_a_separate_second_review_share(ada: User, settings: Any) -> None:
    settings.SECOND_REVIEW_PERCENT = {"jax": 100.0, "*": 0.0}
    file = make.a_source_file(repository=make.a_repository(category="jax"))
    drawn = make.a_provenance(source_file=file).kernel

    for kernel in (drawn, make.a_provenance().kernel, make.a_kernel()):
        make.decided(kernel, ada)

    assert [review.kernel for review in SecondReview.objects.all()] == [drawn]


def test_an_agreeing_second_review_leaves_the_item_unchanged(ada: User) -> None:
    kernel = make.a_kernel()
    make.decided(kernel, ada)

    say(make.a_reviewer(), kernel, "approved")

    kernel.refresh_from_db()
    assert SecondReview.objects.get().state == Agreement.AGREED
    assert (kernel.status, kernel.version) == (Status.APPROVED, 2)


@pytest.mark.parametrize("status", ["approved", "rejected"])
def test_a_second_review_can_be_withdrawn_for_a_minute(ada: User, status: str) -> None:
    kernel, grace, curator = make.a_kernel(), make.a_reviewer(), make.a_curator()
    make.decided(kernel, ada)
    say(grace, kernel, status)
    client = make.a_browser(grace)

    answer = client.post(reverse("undo"), follow=True)

    assert "you have not given the second review" in answer.content.decode()
    assert SecondReview.objects.get().state == Agreement.WAITING
    assert not Notice.objects.filter(user=curator).exists()
    say(grace, kernel, status)
    SecondReview.objects.update(given_at=timezone.now() - timedelta(minutes=2))
    answer = client.post(reverse("undo"), follow=True)
    assert "You have no decision to undo" in answer.content.decode()


def test_the_first_reviewer_can_not_give_the_second_review(ada: User) -> None:
    kernel = make.a_kernel()
    make.decided(kernel, ada)

    say(ada, kernel, "rejected")

    kernel.refresh_from_db()
    assert kernel.status == Status.REJECTED
    assert SecondReview.objects.get().state == Agreement.VOID


def test_undoing_a_decision_voids_its_second_review(ada: User) -> None:
    kernel = make.a_kernel()
    first = make.decided(kernel, ada)

    undo(decision=first, user=ada, request=uuid.uuid4())

    assert SecondReview.objects.get().state == Agreement.VOID
    assert next_item(make.a_reviewer()) == kernel


# --- The figures ----------------------------------------------------------------------------
WORDS = st.sampled_from(["approved", "rejected"])


def test_kappa_matches_published_examples() -> None:
    said = [("a", "a")] * 20 + [("a", "r")] * 5 + [("r", "a")] * 10 + [("r", "r")] * 15

    found = agreement(said)

    assert (found.percent, found.kappa) == (70.0, 0.4)


@pytest.mark.parametrize(
    ("said", "why"),
    [([], "nothing has been reviewed twice"), ([("a", "a")] * 3, "chance explains everything")],
)
def test_an_undefined_kappa_has_an_explanation(said: list[tuple[str, str]], why: str) -> None:
    found = agreement(said)

    assert found.kappa is None
    assert why in found.undefined


@given(st.lists(st.tuples(WORDS, WORDS)))
def test_kappa_is_within_bounds_and_one_only_for_full_agreement(
    said: list[tuple[str, str]],
) -> None:
    found = agreement(said)

    if found.kappa is not None:
        assert -1 <= found.kappa <= 1
        assert (found.kappa == 1) == (found.percent == 100)
