"""Deciding on many: counted first, with a reason, undone as a whole."""

import uuid
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from curation.models import BulkDecision, Decision, Kernel, Pair, Status
from tests import factories as make

pytestmark = pytest.mark.django_db


@pytest.fixture
def browser() -> Client:
    client = Client()
    client.force_login(make.a_curator())
    return client


def said(**over: Any) -> dict[str, Any]:
    return {"status": "rejected", "comment": "all noise", "request": uuid.uuid4(), **over}


def test_the_count_says_what_would_change_before_it_does(browser: Client) -> None:
    for _ in range(3):
        make.a_kernel(operation_type="scan")
    make.a_kernel(operation_type="scan", status="rejected")
    make.a_pair(operation_type="scan")

    page = browser.get(f"{reverse('bulk')}?operation=scan").content.decode()

    assert '<th scope="row">Approved</th><td>4</td><td>1</td>' in page
    assert '<th scope="row">Rejected</th><td>3</td><td>1</td>' in page
    assert not Decision.objects.exists()


def test_all_that_fits_is_decided_on_and_nothing_else(browser: Client) -> None:
    for _ in range(60):
        make.a_kernel(operation_type="scan")
    make.a_pair(operation_type="scan")
    make.a_kernel(operation_type="sort")

    browser.post(reverse("bulk"), said(filter="operation=scan"))

    assert Kernel.objects.filter(status="rejected").count() == 60
    assert Pair.objects.filter(status="rejected").count() == 1
    assert Kernel.objects.pending().count() == 1
    assert BulkDecision.objects.get().count == 61
    assert {row.comment for row in Decision.objects.all()} == {"all noise"}


def test_one_undo_takes_all_of_it_back_but_what_was_decided_since(browser: Client) -> None:
    kernels = [make.a_kernel() for _ in range(3)]
    browser.post(reverse("bulk"), said(filter="status=pending"))
    Kernel.objects.filter(pk=kernels[0].pk).update(status="approved", version=3)

    page = browser.post(
        reverse("undo-bulk", args=[BulkDecision.objects.get().pk]), follow=True
    ).content.decode()
    again = browser.post(reverse("undo-bulk", args=[BulkDecision.objects.get().pk]), follow=True)

    assert "2 decisions undone. 1 item had been decided on since and stayed." in page
    assert "0 decisions undone" in again.content.decode()
    assert Kernel.objects.pending().count() == 2


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"comment": ""}, "needs a reason"),
        ({"status": "retired"}, "Choose whether to approve or to reject"),
        ({"filter": "colour=red"}, "There is no filter"),
        ({"request": "x"}, "The form was incomplete"),
    ],
)
def test_what_is_incomplete_changes_nothing(
    browser: Client, over: dict[str, str], sentence: str
) -> None:
    make.a_kernel()

    answer = browser.post(reverse("bulk"), said(**{"filter": "status=pending", **over}))

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert Kernel.objects.pending().count() == 1


def test_the_same_request_twice_decides_once(browser: Client) -> None:
    make.a_kernel()
    wish = said(filter="status=pending")
    browser.post(reverse("bulk"), wish)
    make.a_kernel()

    browser.post(reverse("bulk"), wish)

    assert Kernel.objects.pending().count() == 1


def test_what_others_look_at_and_one_s_own_edits_are_left_out(browser: Client) -> None:
    make.a_claim()
    curator = User.objects.get(groups__name="curators")
    make.a_pair(author=curator)

    browser.post(reverse("bulk"), said(filter="status=pending"))

    assert not Decision.objects.exists()


def test_a_cluster_is_settled_in_one_step_and_undone_in_one(browser: Client) -> None:
    best, twins = make.a_kernel(), [make.a_kernel() for _ in range(3)]
    for twin in twins:
        make.a_duplicate_link(kernel=twin, of_kernel=best)
    other = make.a_kernel()

    browser.post(reverse("decide-cluster", args=["kernels", best.pk]), {"request": uuid.uuid4()})

    best.refresh_from_db()
    assert best.status == Status.APPROVED
    assert Kernel.objects.filter(status="rejected").count() == 3
    browser.post(reverse("undo-bulk", args=[BulkDecision.objects.get().pk]))
    assert Kernel.objects.pending().count() == 5
    assert other.status == Status.PENDING


def test_a_reviewer_decides_one_by_one() -> None:
    client = Client()
    client.force_login(make.a_reviewer())

    assert client.get(f"{reverse('bulk')}?status=pending").status_code == 403
