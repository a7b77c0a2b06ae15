"""Twins as rows: whatever happens, in whatever order, comes to what clustering at once gives."""

from __future__ import annotations

import random
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from curation.decisions.decide import decide_by_policy
from curation.evidence import clusters, fingerprints
from curation.evidence.progress import JobProgress
from curation.evidence.refresh import refresh_similarity
from curation.evidence.subjects import PAIR, seen_in
from curation.jobs.attempt import LeaseLost
from curation.models import (
    Band,
    DuplicateLink,
    Fingerprint,
    Kernel,
    LicenseVerdict,
    Pair,
    Repository,
    Role,
    Status,
)
from tests import factories as make
from tests.curation.evidence.shelf import clustered_at_once, links, put, representatives, variant
from tests.curation.similarity.kernels import SOFTMAX, renamed, unrelated
from tests.probes import at_once, queries_of

pytestmark = pytest.mark.django_db

COPY = renamed(SOFTMAX)


def with_a_line(text: str, line: str = "extra = shifted + 1.0") -> str:
    return text.replace("    numerator =", f"    {line}\n        numerator =", 1)


@pytest.mark.parametrize("likeness", ["exact", "near"])
def test_a_near_duplicate_is_represented_with_its_similarity(likeness: str) -> None:
    text = COPY if likeness == "exact" else with_a_line(SOFTMAX)
    better, worse = put(SOFTMAX, stars=9), put(text, stars=1)

    refresh_similarity()

    link = DuplicateLink.objects.get()
    assert (link.kernel, link.of_kernel, link.likeness) == (worse, better, likeness)
    assert (link.content_hash, link.of_content_hash) == (worse.content_hash, better.content_hash)
    assert 0.7 <= link.similarity <= 1
    assert (link.similarity == 1) == (likeness == "exact")


def test_a_kernel_found_to_be_for_other_hardware_stops_representing() -> None:
    better, worse = put(SOFTMAX, stars=9), put(COPY, stars=1)
    refresh_similarity()
    assert DuplicateLink.objects.get().of_kernel == better

    Kernel.objects.filter(pk=better.pk).update(hardware="ascend")
    refresh_similarity()

    assert DuplicateLink.objects.get().of_kernel == worse
    assert Fingerprint.objects.get(kernel=better).hardware == "ascend"


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"license_verdict": LicenseVerdict.PERMISSIVE}, {"documented": True, "stars": 9}),
        ({"documented": True}, {"stars": 9}),
        ({"stars": 9}, {"stars": 8}),
        ({}, {"license_verdict": LicenseVerdict.BLOCKED, "status": Status.REJECTED, "stars": 9}),
        ({}, {"license_verdict": LicenseVerdict.PERMISSIVE, "status": Status.REJECTED}),
    ],
    ids=["permissive", "documented", "stars", "not blocked", "not turned down"],
)
@pytest.mark.parametrize("better_first", [True, False])
def test_the_better_kernel_represents_its_near_duplicate(
    better: dict[str, Any], worse: dict[str, Any], better_first: bool
) -> None:
    kernels = {}
    for name in ("better", "worse") if better_first else ("worse", "better"):
        facts = better if name == "better" else worse
        kernels[name] = put(SOFTMAX if name == "better" else with_a_line(SOFTMAX), **facts)
        refresh_similarity()

    assert links() == {kernels["worse"].pk: kernels["better"].pk}
    assert list(representatives(Kernel)) == [kernels["better"]]


def test_a_better_new_kernel_does_not_replace_an_approved_representative() -> None:
    approved = put(SOFTMAX, status=Status.APPROVED)
    refresh_similarity()

    newcomer = put(COPY, stars=1000, documented=True)
    refresh_similarity()

    assert links() == {newcomer.pk: approved.pk}


def test_a_retired_kernel_leaves_its_cluster_and_rejoins_on_return() -> None:
    best, other = put(SOFTMAX, stars=9), put(COPY)
    refresh_similarity()

    Kernel.objects.filter(pk=best.pk).update(status=Status.RETIRED)
    refresh_similarity()
    assert links() == {}
    assert list(representatives(Kernel)) == [other]

    Kernel.objects.filter(pk=best.pk).update(status=Status.PENDING)
    refresh_similarity()
    assert links() == {other.pk: best.pk}


def test_a_benchmark_kernel_joins_no_near_duplicate_cluster() -> None:
    held = put(SOFTMAX, repository=make.a_benchmark(stars=1000))
    free = put(COPY)

    refresh_similarity()

    assert links() == {}
    assert list(representatives(Kernel)) == [free]
    assert held not in representatives(Kernel)


@pytest.mark.parametrize("change", [{"opted_out_at": timezone.now()}, {"role": Role.BENCHMARK}])
def test_a_kernel_of_an_opted_out_or_benchmark_repository_represents_no_other(
    change: dict[str, Any],
) -> None:
    repository = make.a_repository(stars=9)
    best, other = put(SOFTMAX, repository=repository), put(COPY)
    refresh_similarity()
    assert links() == {other.pk: best.pk}

    Repository.objects.filter(pk=repository.pk).update(**change)
    refresh_similarity(seen_in(repository))

    assert links() == {}


def test_the_scheduler_updates_clusters_after_decisions() -> None:
    best, other = put(SOFTMAX, stars=9), put(COPY)
    refresh_similarity()
    decide_by_policy(
        items=Kernel.objects.filter(pk=best.pk), status=Status.REJECTED, rules="tests 1"
    )

    assert clusters.follow_decisions() == 1

    assert links() == {best.pk: other.pk}
    assert clusters.follow_decisions() == 0


def test_a_kernel_and_a_pair_are_never_near_duplicates() -> None:
    put(SOFTMAX)
    pairs = [make.a_pair(triton_code=text) for text in (SOFTMAX, COPY)]

    refresh_similarity()

    link = DuplicateLink.objects.get()
    assert {link.pair, link.of_pair} == set(pairs)
    assert representatives(Pair).count() == 1


def test_a_kernel_that_only_calls_a_helper_is_compared_by_the_helper() -> None:
    call = "@triton.jit\ndef kernel(p):\n    helper(p)\n"
    units = [f"{unrelated(seed).replace(f'kernel_{seed}', 'helper')}\n\n{call}" for seed in (1, 2)]

    put(call, unit=units[0], stars=9)
    put(call, unit=units[1], stars=8)
    put(call, unit=f"# copied\n{units[0]}", stars=7)
    refresh_similarity()

    assert len(links()) == 1


def test_shared_helpers_do_not_make_two_kernels_near_duplicates() -> None:
    helpers = "\n\n".join(unrelated(seed) for seed in range(20, 30))
    for seed in (1, 2):
        put(unrelated(seed), unit=f"{helpers}\n\n{unrelated(seed)}")

    refresh_similarity()

    assert links() == {}


CHANGES = (
    "add",
    "add",
    "add",
    "star",
    "license",
    "rejected",
    "approved",
    "retired",
    "pending",
    "optout",
)


@pytest.mark.any_database
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_incremental_clusters_equal_clustering_at_once_for_any_history(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    repositories = [make.a_repository(stars=number * 10) for number in range(8)]
    texts = [variant(number % 17, number) for number in range(80)]
    chance.shuffle(texts)
    licence = make.a_license()

    while texts:
        for _ in range(chance.randint(1, 12)):
            pks = list(Kernel.objects.values_list("pk", flat=True))
            change = chance.choice(CHANGES)
            repository = chance.choice(repositories)
            if change == "add" or not pks:
                if texts:
                    put(texts.pop(), repository=repository, documented=chance.random() < 0.3)
                continue
            kernel = Kernel.objects.filter(pk=chance.choice(pks))
            place = Repository.objects.filter(pk=repository.pk)
            if change == "star":
                place.update(stars=chance.randint(0, 90))
            elif change == "optout":
                out = repository.opted_out_at is None
                repository.opted_out_at = timezone.now() if out else None
                place.update(opted_out_at=repository.opted_out_at)
            elif change == "license":
                verdict = chance.choice(["permissive", "blocked", "unknown"])
                kernel.update(license_verdict=verdict, license=licence)
            else:
                kernel.update(status=change)
        refresh_similarity()
        assert links() == clustered_at_once()

    assert len(links()) > 10


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_no_version_is_a_near_duplicate_of_another_version(order: tuple[int, ...]) -> None:
    pairs = [make.a_pair(triton_code=with_a_line(SOFTMAX, f"extra = {n}.0")) for n in range(3)]
    Pair.objects.filter(pk=pairs[0].pk).update(status=Status.APPROVED)
    for newer, older in zip(pairs[1:], pairs, strict=False):
        Pair.objects.filter(pk=newer.pk).update(previous=older)
    fingerprints.make_missing()

    for number in order:
        clusters.place_items(PAIR, [pairs[number].pk])

    assert representatives(Pair).count() == 3
    assert not DuplicateLink.objects.exists()


def test_versions_linked_by_an_older_scheme_are_unlinked() -> None:
    old, new = (make.a_pair(triton_code=text) for text in (SOFTMAX, COPY))
    refresh_similarity()
    assert DuplicateLink.objects.count() == 1
    Pair.objects.filter(pk=new.pk).update(previous=old)
    Fingerprint.objects.update(scheme="the one before")

    refresh_similarity()

    assert not DuplicateLink.objects.exists()


def test_a_version_is_still_a_near_duplicate_of_another_item() -> None:
    best, old, new = (put(with_a_line(SOFTMAX, f"extra = {n}.0"), stars=9 - n) for n in range(3))
    Kernel.objects.filter(pk=new.pk).update(previous=old)

    refresh_similarity()

    assert links() == {old.pk: best.pk, new.pk: best.pk}


@pytest.mark.slow
def test_clustering_in_batches_equals_clustering_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "BATCH", 20)
    for number in range(75):
        put(variant(number % 15, number), stars=number % 7)

    refresh_similarity()

    assert links() == clustered_at_once()
    assert len(links()) > 25


def test_a_refresh_after_an_ingest_covers_only_that_repository() -> None:
    here, elsewhere = make.a_repository(stars=5), make.a_repository(stars=1)
    one, other = put(SOFTMAX, repository=here), put(COPY, repository=elsewhere)
    refresh_similarity()
    Repository.objects.filter(pk=elsewhere.pk).update(stars=9)

    refresh_similarity(seen_in(here))
    assert links() == {other.pk: one.pk}

    refresh_similarity(seen_in(elsewhere))
    assert links() == {one.pk: other.pk}


def test_the_query_count_of_adding_an_item_does_not_grow_with_the_table() -> None:
    asked = []
    for count in (20, 150):
        for number in range(Kernel.objects.count(), count):
            put(variant(number % 50, number))
        refresh_similarity()
        repository = make.a_repository()
        put(unrelated(1000 + count), repository=repository)
        asked.append(len(queries_of(partial(refresh_similarity, seen_in(repository)))))

    # A query or two more where a band is shared by chance.
    assert abs(asked[0] - asked[1]) <= 4
    assert max(asked) < 45


def test_refreshing_similarity_again_writes_nothing() -> None:
    for number in range(20):
        put(variant(number % 5, number))
    refresh_similarity()

    assert [sql for sql in queries_of(refresh_similarity) if not sql.startswith("SELECT")] == []


def test_an_attempt_that_has_lost_its_lease_writes_nothing() -> None:
    put(SOFTMAX)
    put(COPY)

    def lost() -> None:
        raise LeaseLost("belongs to another attempt")

    with pytest.raises(LeaseLost):
        refresh_similarity(progress=JobProgress(renew=lost))
    assert not Fingerprint.objects.exists()

    fingerprints.make_missing()
    with pytest.raises(LeaseLost):
        clusters.place_changed(progress=JobProgress(renew=lost))
    assert not DuplicateLink.objects.exists()
    assert not Fingerprint.objects.exclude(placed=None).exists()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_concurrent_workers_produce_the_same_clusters() -> None:
    for number in range(90):
        put(variant(number % 15, number), stars=number % 4)

    at_once([refresh_similarity] * 3)

    assert links() == clustered_at_once()
    assert Fingerprint.objects.filter(placed=True).count() == 90


def test_candidates_are_found_by_an_index() -> None:
    for number in range(120):
        put(variant(number, number))
    refresh_similarity()
    values = list(Band.objects.values_list("value", flat=True)[:25])
    by_band = Band.objects.filter(value__among=values).values_list("value", "fingerprint_id")
    by_syntax = Fingerprint.objects.filter(syntax_hash__among=["a" * 64]).values_list("pk")
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE curation_band; ANALYZE curation_fingerprint")
            cursor.execute("SET LOCAL enable_seqscan = off")

    assert "band_by_value" in by_band.explain()
    assert "syntax_hash" in by_syntax.explain()
