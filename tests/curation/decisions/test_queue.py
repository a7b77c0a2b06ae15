"""The queue: an order that an index reads, one item to one person, and never one's own."""

from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from curation.decisions import claims, priority
from curation.decisions.queue import next_item
from curation.models import Claim, Figures, Kernel, Pair
from tests import factories as make
from tests.probes import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    return make.a_reviewer(username="ada")


def refreshed() -> list[str]:
    """What is pending, in the order of the queue."""
    Figures.objects.all().delete()
    priority.refresh()
    rows = [*Kernel.objects.pending(), *Pair.objects.pending()]
    return [str(row).rsplit("-", 1)[0] for row in sorted(rows, key=lambda row: -row.priority)]


def seen_in(name: str, **over: Any) -> Kernel:
    kernel = make.a_kernel(name=name)
    file = make.a_source_file(repository=make.a_repository(**over))
    make.a_provenance(kernel=kernel, source_file=file)
    return kernel


def test_the_queue_orders_by_pinned_validated_unique_and_value() -> None:
    twin = seen_in("twin", tier=1, stars=50_000)
    make.a_duplicate_link(kernel=twin, of_kernel=make.an_approved_kernel())
    seen_in("valuable", tier=1, stars=50_000)
    make.a_kernel(name="unique")
    make.a_validation_result(kernel=make.a_kernel(name="validated"))
    make.a_kernel(name="pinned", pinned=True)

    assert refreshed() == ["pinned", "validated", "valuable", "unique", "twin"]


def test_the_value_of_an_item_ranks_tier_stars_and_rarity() -> None:
    seen_in("third", tier=3, stars=100_000)
    seen_in("second", tier=2)
    seen_in("first", tier=1)
    seen_in("stars", tier=1, stars=9_000)
    rare = seen_in("rare", tier=2)
    Kernel.objects.filter(pk=rare.pk).update(operation_type="scan")

    assert refreshed() == ["stars", "first", "rare", "second", "third"]


def test_kernels_of_key_files_precede_kernels_of_better_sources() -> None:
    key_files = ["ops/key.py", "ops/kernels/**", "ops/*/globbed.py"]
    source = make.a_repository(tier=3, key_files=key_files)
    for path in ("ops/kernels/deep/a.py", "ops/key.py", "ops/b/globbed.py", "ops/other.py"):
        kernel = make.a_kernel(name=path.rpartition("/")[2].removesuffix(".py"))
        file = make.a_source_file(repository=source, path=path)
        make.a_provenance(kernel=kernel, source_file=file)
    seen_in("first", tier=1, stars=200_000)

    order = refreshed()

    assert set(order[:2]) == {"a", "key"}
    assert order[2] == "first"


def test_kernels_and_pairs_wait_in_one_queue() -> None:
    make.a_kernel(name="kernel")
    make.a_validation_result(pair=make.a_pair(slug="pair"))

    assert refreshed() == ["pair", "kernel"]


def test_a_validation_of_old_content_does_not_raise_the_priority() -> None:
    make.a_validation_result(pair=make.a_pair(slug="changed"), content_hash=make.sha("old"))
    make.a_validation_result(pair=make.a_pair(slug="passed"))

    assert refreshed() == ["passed", "changed"]


def test_standalone_kernels_precede_others_in_the_queue() -> None:
    kernel = seen_in("broken", tier=1)
    Kernel.objects.filter(pk=kernel.pk).update(standalone=False)
    seen_in("whole", tier=3)

    assert refreshed() == ["whole", "broken"]


def test_refreshing_priorities_again_changes_no_row() -> None:
    make.a_kernel()
    refreshed()
    Figures.objects.all().delete()

    assert priority.refresh() == 0


def test_the_scheduler_refreshes_priorities_at_most_once_per_interval() -> None:
    refreshed()
    make.a_kernel()

    assert priority.refresh() == 0


def test_priorities_of_a_long_queue_are_refreshed_in_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(priority, "STRETCH", 2)
    for _ in range(5):
        make.a_kernel()
    Figures.objects.all().delete()

    looked_at = [priority.refresh()]
    while priority.still_ahead():
        looked_at.append(priority.refresh())

    assert looked_at == [2, 2, 1]
    assert priority.refresh() == 0
    assert not priority.still_ahead()


# --- One item, one person -------------------------------------------------------------------
def test_a_reviewer_who_asks_again_gets_the_same_item(ada: User) -> None:
    for _ in range(3):
        make.a_kernel()

    assert next_item(ada) == next_item(ada)
    assert Claim.objects.count() == 1


def test_an_expired_claim_can_be_taken_by_another_reviewer(ada: User) -> None:
    claim = make.a_claim(expires_at=timezone.now() - timedelta(seconds=1))

    assert next_item(ada) == claim.kernel
    assert not claims.renew(claim.token, claim.user)


def test_an_open_page_renews_its_claim(ada: User) -> None:
    claim = claims.take(make.a_kernel(), ada)
    assert claim is not None
    Claim.objects.update(expires_at=timezone.now() + timedelta(seconds=5))

    assert claims.renew(claim.token, ada)
    assert Claim.objects.get().expires_at > timezone.now() + timedelta(minutes=1)


def test_a_second_tab_shares_the_claim_of_the_first(ada: User) -> None:
    kernel = make.a_kernel()
    first, second = claims.take(kernel, ada), claims.take(kernel, ada)

    assert first and second and first.token == second.token
    assert claims.renew(first.token, ada)


def test_closing_a_tab_leaves_another_tab_the_time_to_renew_the_claim(ada: User) -> None:
    claim = claims.take(make.a_kernel(), ada)
    assert claim is not None

    claims.leave(claim.token, ada)

    left = Claim.objects.get().expires_at - timezone.now()
    assert timedelta(seconds=60) < left < timedelta(seconds=90)
    assert claims.renew(claim.token, ada)


def test_opening_the_queue_soon_frees_other_items_of_a_browser_that_crashed(ada: User) -> None:
    claims.take(make.a_kernel(), ada)
    now = claims.take(make.a_kernel(), ada)

    make.a_browser(ada).get("/")

    left = {claim.pk: claim.expires_at - timezone.now() for claim in Claim.objects.all()}
    assert now is not None
    assert sorted(span < timedelta(seconds=90) for span in left.values()) == [False, True]


def test_a_reviewer_can_not_renew_or_leave_the_claim_of_another(ada: User) -> None:
    claim = make.a_claim()

    claims.leave(claim.token, ada)

    assert not claims.renew(claim.token, ada)
    assert Claim.objects.get().expires_at == claim.expires_at


def test_the_queue_gives_a_pair_only_while_no_newer_version_waits(ada: User) -> None:
    old = make.a_pair()
    new = make.a_pair(previous=old)

    assert next_item(ada) == new
    assert next_item(make.a_reviewer()) is None

    Pair.objects.filter(pk=new.pk).update(status="rejected")
    assert next_item(make.a_reviewer()) == old


def test_a_question_puts_its_item_first_for_the_asked_reviewer(ada: User) -> None:
    make.a_kernel(priority=100)
    asked = make.a_question(asked=ada)

    assert next_item(ada) == asked.kernel
    assert next_item(asked.asker) != asked.kernel


@pytest.mark.django_db(transaction=True)
def test_concurrent_reviewers_never_get_the_same_item() -> None:
    people = [make.a_reviewer() for _ in range(6)]
    for _ in range(18):
        make.a_kernel()

    def take_three(user: User) -> list[Any]:
        given = []
        for _ in range(3):
            given.append(item := next_item(user))
            # Decided, as far as the queue is concerned.
            Kernel.objects.filter(pk=item.pk if item else 0).update(status="approved")
        return given

    given = at_once([partial(take_three, user) for user in people])

    items = {item for of_user in given for item in of_user}
    assert len(items) == 18
    assert None not in items


def test_the_order_of_the_queue_is_read_from_an_index() -> None:
    query = Kernel.objects.pending().order_by("-priority", "pk").without_sources()[:1]

    plan = query.explain()

    if connection.vendor == "sqlite":
        assert "kernel_queue" in plan
        assert "TEMP B-TREE" not in plan


def test_a_claim_on_an_item_decided_meanwhile_is_released(
    ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = make.a_kernel(priority=2), make.a_kernel(priority=1)

    def too_late(item: Any, user: User) -> Claim | None:
        if item == first:
            Kernel.objects.filter(pk=first.pk).update(status="approved", version=2)
        return claims.take(item, user)

    monkeypatch.setattr("curation.decisions.queue.take", too_late)

    assert next_item(ada) == second
    assert [claim.item for claim in Claim.objects.all()] == [second]
