"""`among`: one of a list, handed over as one value."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curation.models import Decision, Kernel, Repository
from curation.search.lookups import stored
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_those_of_a_list_are_found_and_no_others() -> None:
    one, two, three = (make.a_kernel() for _ in range(3))

    found = Kernel.objects.filter(pk__among=[three.pk, one.pk, -1]).order_by("pk")

    assert list(found) == [one, three]
    assert list(Kernel.objects.exclude(pk__among={one.pk, three.pk})) == [two]


def test_a_hundred_thousand_keys_are_one_value() -> None:
    kernel = make.a_kernel()

    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert Kernel.objects.filter(pk__among=range(kernel.pk, kernel.pk + 100_000)).count() == 1

    assert len(asked) == 1


def test_of_nothing_there_is_nothing_and_nobody_asks() -> None:
    with CaptureQueriesContext(connection) as asked:
        assert not list(Kernel.objects.filter(pk__among=[]))

    assert len(asked) == 0


@pytest.mark.parametrize("name", ['a\'b/"c"', "öl/日本", "[1]/{}", "a\\b/\t%s"])
def test_a_text_is_only_a_text(name: str) -> None:
    made = make.a_repository(name=name)
    make.a_repository()

    assert list(Repository.objects.filter(name__among=[name, "1"])) == [made]


def test_what_refers_to_one_of_them_is_found_by_an_index() -> None:
    kernel = make.a_kernel()
    said = make.a_decision(kernel=kernel)

    rows = Decision.objects.filter(kernel__among=[kernel.pk])
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")

    assert list(rows) == [said]
    assert "ndex" in rows.explain() or "INDEX" in rows.explain()


def test_a_query_belongs_into_in() -> None:
    with pytest.raises(TypeError):
        list(Kernel.objects.filter(pk__among=Kernel.objects.values("pk")))


def test_keys_without_a_gap_are_asked_for_by_their_ends() -> None:
    one, two, three = (make.a_kernel() for _ in range(3))
    side_by_side = Kernel.objects.filter(pk__among={three.pk, two.pk})

    assert "BETWEEN" in str(side_by_side.query)
    assert list(side_by_side.order_by("pk")) == [two, three]
    assert "BETWEEN" not in str(Kernel.objects.filter(pk__among={one.pk, three.pk}).query)


def test_a_column_comes_as_the_database_has_it() -> None:
    make.a_kernel(tags=["masked"])

    assert list(Kernel.objects.values_list(stored("tags"), flat=True)) == ['["masked"]']
