"""Ids of requests: a retry decides once, and an id that made another decision is a conflict."""

import json
import threading
import time
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import Client

from curation.decisions import bulk
from curation.decisions.decide import decide, undo
from curation.errors import Conflict
from curation.models import BulkDecision, Decision, Kernel, SecondReview, Status
from curation.search.filters import Filter
from tests import factories as make
from tests.probes import at_once
from tests.waiting import DEADLINE

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make.a_curator(username="ada")


def call(user: User, item: Any, **body: Any) -> Any:
    kind = "kernels" if isinstance(item, Kernel) else "pairs"
    return Client().post(
        f"/api/v1/{kind}/{item.pk}/decision",
        json.dumps({"status": "approved", "version": 1} | body),
        "application/json",
        headers=make.bearer(user),
    )


@pytest.mark.parametrize("of_another_user", [False, True])
@pytest.mark.parametrize("another", [make.a_kernel, make.a_pair, partial(make.a_kernel, version=2)])
def test_the_id_of_another_item_s_decision_is_a_conflict_for_the_api(
    ada: User, another: Any, of_another_user: bool
) -> None:
    request, item = str(uuid.uuid4()), another()
    call(make.a_reviewer() if of_another_user else ada, make.a_kernel(), request=request)

    answer = call(ada, item, request=request)

    assert answer.status_code == 409
    assert of_another_user or "was used before, for another" in answer.json()["error"]
    item.refresh_from_db()
    assert item.status == Status.PENDING


@pytest.mark.parametrize("changed", [{"status": "rejected"}, {"version": 2}])
def test_an_id_that_is_sent_with_another_verdict_or_version_is_a_conflict(
    ada: User, changed: dict[str, Any]
) -> None:
    request, kernel = str(uuid.uuid4()), make.a_kernel()
    call(ada, kernel, request=request)

    assert call(ada, kernel, request=request, **changed).status_code == 409
    assert Decision.objects.get().status == Status.APPROVED


@pytest.mark.django_db(transaction=True)
def test_of_six_concurrent_decisions_with_one_id_five_are_conflicts(ada: User) -> None:
    kernels, request = [make.a_kernel() for _ in range(6)], str(uuid.uuid4())

    answers = at_once([partial(call, ada, kernel, request=request) for kernel in kernels])

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 5}
    assert Decision.objects.count() == Kernel.objects.filter(status=Status.APPROVED).count() == 1


def test_the_id_of_another_item_s_second_review_gives_none(ada: User) -> None:
    first, other = (waiting() for _ in range(2))
    request = str(uuid.uuid4())
    assert call(ada, first.item, request=request).json() == {"second_review": True}

    answer = call(ada, other.item, request=request)

    assert answer.status_code == 409
    assert not SecondReview.objects.filter(pk=other.pk).exclude(given_at=None).exists()


def test_a_repeated_second_review_with_another_verdict_is_a_conflict(ada: User) -> None:
    review, request = waiting(), str(uuid.uuid4())
    call(ada, review.item, request=request)

    assert call(ada, review.item, request=request).json() == {"second_review": True}
    assert call(ada, review.item, request=request, status="rejected").status_code == 409


def test_an_undo_with_the_id_of_another_decision_is_refused(ada: User) -> None:
    request = uuid.uuid4()
    decisions = [make.decided(make.a_kernel(), ada) for _ in range(2)]
    assert undo(decision=decisions[0], user=ada, request=request) == undo(
        decision=decisions[0], user=ada, request=request
    )

    with pytest.raises(Conflict):
        undo(decision=decisions[1], user=ada, request=request)


def test_a_bulk_decision_with_the_id_of_another_is_refused(ada: User) -> None:
    kernel, request = make.a_kernel(), uuid.uuid4()
    make.a_pair()

    def everything(status: Status, items: str) -> BulkDecision:
        filter = Filter(items=(items,))
        counted = bulk.dry_count(filter, status, ada).fingerprint
        return bulk.decide_all(
            filter=filter, status=status, user=ada, request=request, counted=counted, comment="x"
        )

    assert everything(Status.APPROVED, "kernels").count == 1

    for status, items in ((Status.APPROVED, "pairs"), (Status.REJECTED, "kernels")):
        with pytest.raises(Conflict):
            everything(status, items)
    with pytest.raises(Conflict):
        bulk.decide_cluster(item=kernel, user=ada, request=request)


def waiting() -> SecondReview:
    return make.a_second_review(first=make.decided(make.a_kernel()))


@pytest.mark.parametrize("a", [make.a_kernel, make.a_pair])
def test_a_decision_sets_the_status_and_records_the_reviewed_content(a: Any) -> None:
    item, reviewer = a(), make.a_reviewer()

    decision = make.decided(item, reviewer, comment="clean")

    assert (item.status, item.version) == (Status.APPROVED, 2)
    assert decision.item == item
    assert (decision.content_hash, decision.version) == (item.content_hash, 1)
    assert (decision.previous_status, decision.status) == (Status.PENDING, Status.APPROVED)
    assert (decision.user, decision.comment) == (reviewer, "clean")


def test_a_decision_on_a_changed_item_names_the_person_who_decided(ada: User) -> None:
    kernel = make.a_kernel()
    make.decided(kernel, make.a_reviewer(username="grace"))

    with pytest.raises(Conflict, match="it is approved now by grace"):
        make.decided(kernel, ada, version=1)


@pytest.mark.django_db(transaction=True)
def test_two_concurrent_deliveries_of_one_request_make_one_decision() -> None:
    """As a program does whose connection broke: the first delivery may still be under way."""
    reviewer, kernel, request = make.a_reviewer(), make.a_kernel(), uuid.uuid4()
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
