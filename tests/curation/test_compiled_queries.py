"""A query that is composed once answers as Django's own does, whatever is asked and by whom."""

import uuid
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from curation.compiled_queries import compiled_query
from curation.models import Claim, Kernel, Provenance
from tests import factories as make
from tests.probes import at_once, queries_of

pytestmark = pytest.mark.django_db


@compiled_query
def places(kernel: int) -> QuerySet[Provenance]:
    rows = Provenance.objects.filter(kernel=kernel, retired_at=None)
    return rows.select_related("source_file__repository").order_by("pk")


def test_a_compiled_query_returns_rows_with_their_select_related_objects() -> None:
    place = make.a_provenance()
    make.a_provenance()

    [found] = places(place.kernel_id)

    assert found == place
    assert queries_of(lambda: found.source_file.repository) == []
    assert found.source_file.repository == place.source_file.repository


def test_a_compiled_query_is_built_once_and_run_with_each_value() -> None:
    composed = []

    @compiled_query
    def named(name: str) -> QuerySet[Kernel]:
        composed.append(name)
        return Kernel.objects.filter(name=name)

    one, other = make.a_kernel(name="one"), make.a_kernel(name="other")

    assert (named("one"), named("other"), named("third")) == ([one], [other], [])
    assert len(composed) == 1


def test_a_compiled_query_converts_values_as_django_does() -> None:
    @compiled_query
    def claims(token: uuid.UUID, now: datetime, user: Any) -> QuerySet[Claim]:
        return Claim.objects.filter(token=token, expires_at__gt=now, user=user)

    token, now, user = uuid.uuid4(), timezone.now(), make.a_reviewer()
    claim = make.a_claim(token=token, user=user, expires_at=now + timedelta(microseconds=1))

    assert claims(token, now, user) == [claim]
    assert claims(token, now + timedelta(microseconds=1), user) == []
    assert claims(uuid.uuid4(), now, user) == []
    assert claims(token, now, user=make.a_reviewer()) == []


def test_a_value_inside_a_subquery_is_bound_too() -> None:
    @compiled_query
    def seen(repository: str) -> QuerySet[Any]:
        there = Provenance.objects.filter(
            kernel=OuterRef("pk"), source_file__repository__name=repository
        )
        return Kernel.objects.annotate(there=Exists(there)).order_by("pk")

    here = make.a_provenance()
    make.a_provenance()

    name = here.source_file.repository.name
    assert [kernel.there for kernel in seen(name)] == [True, False]


def test_a_compiled_values_list_returns_the_rows_that_django_returns() -> None:
    @compiled_query
    def names(status: str) -> QuerySet[Kernel, tuple[str, int]]:
        return Kernel.objects.filter(status=status).order_by("pk").values_list("name", "version")

    make.a_kernel(name="one")

    assert names("pending") == [("one", 1)]


def test_a_query_with_an_empty_in_list_is_not_sent_to_the_database() -> None:
    @compiled_query
    def none(pk: int) -> QuerySet[Kernel]:
        return Kernel.objects.filter(pk=pk, name__in=())

    kernel = make.a_kernel()

    assert queries_of(lambda: none(kernel.pk)) == []
    assert none(kernel.pk) == []


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**30])
def test_a_number_that_no_column_holds_is_no_rows(number: int) -> None:
    assert places(number) == []
    assert places(2**63 - 1) == []


def test_first_returns_none_if_no_row_matches() -> None:
    assert places.first(0) is None


@pytest.mark.django_db(transaction=True)
def test_many_threads_can_compile_the_same_query_at_once() -> None:
    @compiled_query
    def one(pk: int) -> QuerySet[Kernel]:
        return Kernel.objects.filter(pk=pk)

    def ask(pk: int) -> list[int]:
        return [one(pk)[0].pk for _ in range(20)]

    kernels = [make.a_kernel() for _ in range(8)]

    found = at_once([partial(ask, kernel.pk) for kernel in kernels])

    assert found == [[kernel.pk] * 20 for kernel in kernels]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite plans in no time")
def test_postgresql_prepares_a_query_that_runs_often() -> None:
    @compiled_query
    def called(name: str) -> QuerySet[Kernel]:
        return Kernel.objects.filter(name=name, kind="entry")

    for number in range(10):
        called(f"kernel {number}")

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%kind%'")
        assert cursor.fetchone()[0] > 0
