"""Deciding on many: counted first, with a reason, undone as a whole."""

import re
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from curation.decisions import bulk
from curation.models import BulkDecision, Decision, Kernel, Pair, Status
from curation.search.filters import Filter
from tests import factories as make

pytestmark = pytest.mark.django_db


def hidden_fields(page: str) -> dict[str, str]:
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))


def said(browser: Client, query: str, **over: Any) -> dict[str, Any]:
    """The form of the page that counts what the filter finds, filled in."""
    hidden = hidden_fields(browser.get(f"{reverse('bulk')}?{query}").content.decode())
    wish = {"status": "rejected", "comment": "all noise", "request": uuid.uuid4()}
    return hidden | wish | {"filter": query} | over


def test_the_bulk_page_counts_affected_items_before_the_decision(browser: Client) -> None:
    for _ in range(3):
        make.a_kernel(operation_type="scan")
    make.a_kernel(operation_type="scan", status="rejected")
    make.a_pair(operation_type="scan")

    page = browser.get(f"{reverse('bulk')}?operation=scan").content.decode()

    assert '<th scope="row">Approve all</th><td>4</td><td>1</td>' in page
    assert '<th scope="row">Reject all</th><td>3</td><td>1</td>' in page
    assert not Decision.objects.exists()


def test_the_bulk_page_names_ticked_items_and_counts_only_their_claims(browser: Client) -> None:
    ticked, claimed = make.a_kernel(name="ticked"), make.a_kernel(name="claimed")
    make.a_claim(kernel=claimed)
    make.a_claim()

    page = browser.get(
        f"{reverse('bulk')}?items=kernels&id={ticked.pk}&id={claimed.pk}"
    ).content.decode()

    assert f'<a href="{ticked.get_absolute_url()}">ticked</a>, <a href=' in page
    assert "id=" not in page.partition("<form")[0].partition("<h1")[2]
    assert "1 that others are reviewing now" in page


@pytest.mark.parametrize("statuses", [(), ("pending",), ("pending", "rejected"), ("approved",)])
def test_both_counts_equal_the_count_of_each_decision(statuses: tuple[str, ...]) -> None:
    for status in ("pending", "pending", "approved", "rejected", "retired"):
        make.a_kernel(status=status)
    user, filter = make.a_curator(), Filter(items=("kernels",), status=statuses)

    counts = bulk.dry_counts(filter, user)

    assert counts == tuple(
        bulk.dry_count(filter, status, user) for status in (Status.APPROVED, Status.REJECTED)
    )


def test_a_bulk_decision_covers_exactly_the_matching_items(browser: Client) -> None:
    for _ in range(60):
        make.a_kernel(operation_type="scan")
    make.a_pair(operation_type="scan")
    make.a_kernel(operation_type="sort")

    browser.post(reverse("bulk"), said(browser, "operation=scan"))

    assert Kernel.objects.filter(status="rejected").count() == 60
    assert Pair.objects.filter(status="rejected").count() == 1
    assert Kernel.objects.pending().count() == 1
    assert BulkDecision.objects.get().count == 61
    assert {row.comment for row in Decision.objects.all()} == {"all noise"}


def test_a_bulk_undo_skips_items_decided_again_since(browser: Client) -> None:
    kernels = [make.a_kernel() for _ in range(3)]
    browser.post(reverse("bulk"), said(browser, "status=pending"))
    Kernel.objects.filter(pk=kernels[0].pk).update(status="approved", version=3)

    page = browser.post(
        reverse("undo-bulk", args=[BulkDecision.objects.get().pk]), follow=True
    ).content.decode()
    again = browser.post(reverse("undo-bulk", args=[BulkDecision.objects.get().pk]), follow=True)

    assert "2 decisions undone. Skipped 1 item decided on since." in page
    assert "0 decisions undone" in again.content.decode()
    assert Kernel.objects.pending().count() == 2


@pytest.mark.parametrize(
    ("over", "sentence"),
    [
        ({"comment": ""}, "Give a reason"),
        ({"status": "retired"}, "Choose to approve or to reject"),
        ({"filter": "colour=red"}, "There is no filter"),
        ({"request": "x"}, "The form was incomplete"),
        ({"reason": ["Well commented"]}, "“Well commented” is a reason to approve"),
    ],
)
def test_an_incomplete_bulk_decision_changes_no_item(
    browser: Client, over: dict[str, Any], sentence: str
) -> None:
    make.a_reason(text="Well commented", status="approved")
    make.a_kernel()

    answer = browser.post(reverse("bulk"), said(browser, "status=pending", **over))

    assert answer.status_code == 400
    assert sentence in answer.content.decode()
    assert Kernel.objects.pending().count() == 1


def a_newcomer(kernel: Kernel) -> None:
    make.a_kernel()


def a_decision_of_somebody_else(kernel: Kernel) -> None:
    """The count stays the same: what is approved can be rejected, too."""
    make.decided(kernel)


def an_exchange(kernel: Kernel) -> None:
    """The count stays the same."""
    Kernel.objects.filter(pk=kernel.pk).update(status=Status.RETIRED)
    make.a_kernel()


def a_claim(kernel: Kernel) -> None:
    make.a_claim(kernel=kernel)


@pytest.mark.parametrize("change", [a_newcomer, a_decision_of_somebody_else, an_exchange, a_claim])
def test_a_bulk_decision_on_a_changed_list_is_refused_with_a_new_count(
    browser: Client, change: Callable[[Kernel], None]
) -> None:
    kernels = [make.a_kernel() for _ in range(3)]
    wish = said(browser, "items=kernels", reason=["noise", "Incorrect result"])
    change(kernels[0])
    before = Decision.objects.count()

    answer = browser.post(reverse("bulk"), wish)

    page = answer.content.decode()
    assert answer.status_code == 409
    assert "The list has changed since it was counted. Nothing is decided yet" in page
    assert "all noise</textarea>" in page
    assert 'value="Incorrect result" checked' in page
    assert Decision.objects.count() == before
    assert not BulkDecision.objects.exists()
    browser.post(reverse("bulk"), wish | hidden_fields(page))
    assert BulkDecision.objects.get().comment == "all noise"


def test_a_bulk_decision_skips_items_that_change_during_it(
    browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "BATCH", 1)
    counted = [make.a_kernel(operation_type="scan") for _ in range(2)]
    other, moved = make.a_kernel(operation_type="sort"), counted[1]
    wish = said(browser, "operation=scan")
    whole = bulk._decide

    def with_changes(*args: Any) -> None:
        """After the first item, another one comes to match, and a counted one is changed."""
        whole(*args)
        Kernel.objects.filter(pk=other.pk).update(operation_type="scan")
        Kernel.objects.filter(pk=moved.pk).update(version=5)

    monkeypatch.setattr(bulk, "_decide", with_changes)
    browser.post(reverse("bulk"), wish)

    assert [row.item for row in Decision.objects.all()] == [counted[0]]


def test_a_bulk_decision_skips_claimed_items_and_edits_of_the_curator(browser: Client) -> None:
    make.a_claim()
    curator = User.objects.get(groups__name="curators")
    make.a_pair(author=curator)

    answer = browser.post(reverse("bulk"), said(browser, "status=pending"), follow=True)

    assert "0 items rejected" in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_near_duplicate_cluster_is_settled_and_undone_in_one_step(browser: Client) -> None:
    best, twins = make.a_kernel(), [make.a_kernel() for _ in range(3)]
    for twin in twins:
        make.a_duplicate_link(kernel=twin, of_kernel=best)
    other = make.a_kernel()
    offer = "Approve this, reject its near-duplicates"
    assert offer in browser.get(best.get_absolute_url()).content.decode()
    assert offer not in browser.get(twins[0].get_absolute_url()).content.decode()

    browser.post(reverse("decide-cluster", args=["kernels", best.pk]), {"request": uuid.uuid4()})

    best.refresh_from_db()
    assert best.status == Status.APPROVED
    assert Kernel.objects.filter(status="rejected").count() == 3
    browser.post(reverse("undo-bulk", args=[BulkDecision.objects.get().pk]))
    assert Kernel.objects.pending().count() == 5
    assert other.status == Status.PENDING
