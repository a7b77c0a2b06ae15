"""Deciding on many, ended by kill -9 in the middle: finished as a whole, and undone as a whole."""

import os
import signal
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from curation.decisions import bulk
from curation.models import BulkDecision, Decision, Kernel, Pair, Status
from tests import factories as make
from tests.curation.decisions.test_bulk import said

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "BATCH", 2)


inherited: list[Any] = []


def a_shelf(browser: Client) -> dict[str, Any]:
    """Five kernels and three pairs, in batches of two: five batches. The wish to reject them."""
    for _ in range(5):
        make.a_kernel(operation_type="scan")
    for _ in range(3):
        make.a_pair(operation_type="scan")
    return said(browser, "operation=scan")


def killed_at(step: str, calls: int, work: Callable[[], object]) -> None:
    """Do `work` in another process, which dies in its transaction when `step` was done so often."""
    connection.close()
    child = os.fork()
    if child == 0:
        # Where a browser's event loop runs in this thread, Django keeps a connection beside the one
        # that was closed, and finds that one here. It is the parent's: neither used nor closed.
        inherited.append(connection.connection)
        connection.connection = None
        try:
            whole, left = getattr(bulk, step), iter(range(calls - 1))

            def dying(*args: Any, **named: Any) -> Any:
                done = whole(*args, **named)
                if next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)
                return done

            setattr(bulk, step, dying)
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status), f"It came to its end before {step} was done {calls} times."


def all_are(status: Status) -> bool:
    items = [*Kernel.objects.values_list("status"), *Pair.objects.values_list("status")]
    return set(items) == {(status,)}


@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_resent_killed_bulk_decision_is_finished_and_undone_as_one(
    batches: int, browser: Client
) -> None:
    wish = a_shelf(browser)
    killed_at("_decide", batches, lambda: browser.post(reverse("bulk"), wish))
    half = Decision.objects.count()

    answer = browser.post(reverse("bulk"), wish, follow=True)

    assert half == [0, 2, 4, 5, 7][batches - 1]
    assert "8 items rejected" in answer.content.decode()
    assert all_are(Status.REJECTED)
    assert Decision.objects.count() == 8
    done = BulkDecision.objects.get()
    assert done.count == 8
    browser.post(reverse("undo-bulk", args=[done.pk]))
    assert all_are(Status.PENDING)


def test_the_bulk_page_can_finish_a_killed_decision_with_the_same_reason(browser: Client) -> None:
    wish = a_shelf(browser)
    killed_at("_decide", 3, lambda: browser.post(reverse("bulk"), wish))
    done = BulkDecision.objects.get()
    page = browser.get(reverse("bulk")).content.decode()

    browser.post(reverse("finish-bulk", args=[done.pk]))

    assert "not finished" in page
    assert "not finished" not in browser.get(reverse("bulk")).content.decode()
    assert all_are(Status.REJECTED)
    assert set(Decision.objects.values_list("comment", "user")) == {("all noise", done.user_id)}


def test_finishing_a_killed_bulk_decision_skips_new_and_decided_items(browser: Client) -> None:
    wish = a_shelf(browser)
    killed_at("_decide", 3, lambda: browser.post(reverse("bulk"), wish))
    came = make.a_kernel(operation_type="scan")
    theirs = [Kernel.objects.filter(status=Status.REJECTED)[0], Kernel.objects.pending()[0]]
    for kernel in theirs:
        make.decided(kernel)

    browser.post(reverse("bulk"), wish)

    assert set(Kernel.objects.filter(status=Status.APPROVED)) == set(theirs)
    assert Kernel.objects.pending().get() == came
    assert Kernel.objects.filter(status=Status.REJECTED).count() == 3


@pytest.mark.parametrize("undone", [1, 3])
def test_a_killed_bulk_undo_is_completed_when_repeated(undone: int, browser: Client) -> None:
    browser.post(reverse("bulk"), a_shelf(browser))
    address = reverse("undo-bulk", args=[BulkDecision.objects.get().pk])
    killed_at("undo_of", 2 * undone + 1, lambda: browser.post(address))
    page = browser.get(reverse("bulk")).content.decode()

    answer = browser.post(address, follow=True).content.decode()

    assert "Undo all" in page
    assert f"{8 - 2 * undone} decisions undone." in answer
    assert all_are(Status.PENDING)
    assert Decision.objects.exclude(undoes=None).count() == 8


def test_a_killed_bulk_decision_is_not_resumed_after_its_undo(browser: Client) -> None:
    wish = a_shelf(browser)
    killed_at("_decide", 3, lambda: browser.post(reverse("bulk"), wish))
    browser.post(reverse("undo-bulk", args=[BulkDecision.objects.get().pk]))

    browser.post(reverse("bulk"), wish)

    assert all_are(Status.PENDING)


def test_a_killed_cluster_decision_leaves_no_row_and_can_be_resent(
    browser: Client,
) -> None:
    best, twin = make.a_kernel(), make.a_kernel()
    make.a_duplicate_link(kernel=twin, of_kernel=best)
    address, wish = reverse("decide-cluster", args=["kernels", best.pk]), {"request": uuid.uuid4()}
    killed_at("_decide", 1, lambda: browser.post(address, wish))
    left = BulkDecision.objects.count()

    browser.post(address, wish)

    assert left == 0
    assert set(Kernel.objects.values_list("pk", "status")) == {
        (best.pk, Status.APPROVED),
        (twin.pk, Status.REJECTED),
    }
