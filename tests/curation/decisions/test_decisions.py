"""Decisions: one row each, bound to what was seen, never lost, never doubled."""

import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Model

from curation.decisions.decide import decide
from curation.errors import Conflict
from curation.models import Decision, Kernel, Status
from tests.factories import a_kernel, a_pair, a_reviewer
from tests.waiting import DEADLINE

pytestmark = pytest.mark.django_db


@pytest.fixture
def reviewer() -> User:
    return a_reviewer(username="ada")


@pytest.mark.parametrize("make", [a_kernel, a_pair])
def test_a_decision_sets_the_status_and_records_the_reviewed_content(
    make: object, reviewer: User
) -> None:
    item = make()  # type: ignore[operator]

    decision = decide(
        item=item,
        status=Status.APPROVED,
        version=1,
        user=reviewer,
        request=uuid.uuid4(),
        comment="clean",
    )

    item.refresh_from_db()
    assert (item.status, item.version) == (Status.APPROVED, 2)
    assert decision.item == item
    assert (decision.content_hash, decision.version) == (item.content_hash, 1)
    assert (decision.previous_status, decision.status) == (Status.PENDING, Status.APPROVED)
    assert (decision.user, decision.comment) == (reviewer, "clean")


def test_a_decision_on_a_stale_version_is_refused(
    reviewer: User,
) -> None:
    kernel = a_kernel(name="softmax")
    stale: Model = type(kernel).objects.get(pk=kernel.pk)
    decide(item=kernel, status=Status.REJECTED, version=1, user=reviewer, request=uuid.uuid4())

    with pytest.raises(Conflict, match="it is rejected now by ada. Check it again, then decide."):
        decide(
            item=stale,  # type: ignore[arg-type]
            status=Status.APPROVED,
            version=1,
            user=a_reviewer(),
            request=uuid.uuid4(),
        )

    kernel.refresh_from_db()
    assert kernel.status == Status.REJECTED
    assert Decision.objects.count() == 1


def test_a_repeated_request_makes_one_decision(reviewer: User) -> None:
    kernel, request = a_kernel(), uuid.uuid4()

    first = decide(item=kernel, status=Status.APPROVED, version=1, user=reviewer, request=request)
    again = decide(item=kernel, status=Status.APPROVED, version=1, user=reviewer, request=request)

    assert again == first
    kernel.refresh_from_db()
    assert kernel.version == 2
    assert Decision.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_deliveries_of_one_request_make_one_decision() -> None:
    """As a program does whose connection broke: the first delivery may still be under way."""
    reviewer, kernel, request = a_reviewer(), a_kernel(), uuid.uuid4()
    decided = threading.Event()

    def deliver(hold: float) -> Decision:
        try:
            with transaction.atomic():
                made = decide(
                    item=Kernel.objects.get(pk=kernel.pk),
                    status=Status.APPROVED,
                    version=1,
                    user=reviewer,
                    request=request,
                )
                decided.set()
                time.sleep(hold)
            return made
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        first = pool.submit(deliver, 1.0)
        assert decided.wait(DEADLINE)
        second = pool.submit(deliver, 0.0)

        assert first.result() == second.result()
    kernel.refresh_from_db()
    assert kernel.version == 2
    assert Decision.objects.count() == 1
