"""`among`: one of a list, handed over as one value."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from curation.models import Decision, Kernel, Repository
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_among_finds_exactly_the_rows_of_a_list() -> None:
    one, two, three = (make.a_kernel() for _ in range(3))

    found = Kernel.objects.filter(pk__among=[three.pk, one.pk, -1]).order_by("pk")

    assert list(found) == [one, three]
    assert list(Kernel.objects.exclude(pk__among={one.pk, three.pk})) == [two]


def test_among_passes_100_000_keys_as_one_parameter() -> None:
    kernel = make.a_kernel()

    with CaptureQueriesContext(
        connection,
    ) as asked:
        assert Kernel.objects.filter(pk__among=range(kernel.pk, kernel.pk + 100_000)).count() == 1

    assert len(asked) == 1


def test_among_an_empty_list_runs_no_query() -> None:
    with CaptureQueriesContext(connection) as asked:
        assert not list(Kernel.objects.filter(pk__among=[]))

    assert len(asked) == 0


@pytest.mark.parametrize("name", ['a\'b/"c"', "öl/日本", "[1]/{}", "a\\b/\t%s"])
def test_among_escapes_text_values(name: str) -> None:
    made = make.a_repository(name=name)
    make.a_repository()

    assert list(Repository.objects.filter(name__among=[name, "1"])) == [made]


def test_among_on_a_foreign_key_uses_an_index() -> None:
    kernel = make.a_kernel()
    said = make.a_decision(kernel=kernel)

    rows = Decision.objects.filter(kernel__among=[kernel.pk])
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL enable_seqscan = off")

    assert list(rows) == [said]
    assert "ndex" in rows.explain() or "INDEX" in rows.explain()


def test_among_refuses_a_queryset() -> None:
    with pytest.raises(TypeError):
        list(Kernel.objects.filter(pk__among=Kernel.objects.values("pk")))
