"""Substring search: it follows every write, and survives a table that a migration made anew."""

import pytest
from django.db import connection

from curation.models import Decision, Kernel, Pair, Repository
from curation.search.filters import Filter
from curation.search.indexes import SEARCHED, make_indexes, words_of
from tests import factories as make
from tests.factories import a_kernel, a_pair
from tests.probes import queries_of

pytestmark = pytest.mark.django_db


def hits(text: str) -> set[str]:
    filter = Filter(q=(text,))
    return {
        *filter.of(Kernel.objects.all(), bounded=True).values_list("name", flat=True),
        *filter.of(Pair.objects.all(), bounded=True).values_list("slug", flat=True),
    }


def test_search_finds_substrings_and_ignores_case() -> None:
    a_kernel(name="flash", standalone_source="acc += tl.dot(q, k)\n")
    a_pair(slug="dot", triton_code="TL.DOT(q, k)\n")

    assert hits("l.dot(q, ") == {"flash", "dot"}


@pytest.mark.parametrize("text", ['"', "'; DROP", "a OR b", "NEAR(x", "x*", "%", "_ptr", "\\"])
def test_search_takes_sql_operators_literally(text: str) -> None:
    a_kernel(name="odd", standalone_source=f"# -{text}-\n")
    a_kernel(name="plain", standalone_source="# nothing\n")

    assert hits(f"-{text}-") == {"odd"}


def test_search_finds_the_new_name_of_a_renamed_kernel() -> None:
    kernel = a_kernel(name="old_name", standalone_source="x\n")
    Kernel.objects.filter(pk=kernel.pk).update(name="new_name")

    assert hits("old_name") == set()
    assert hits("new_name") == {"new_name"}


def test_search_does_not_find_a_deleted_kernel() -> None:
    a_kernel(name="gone").delete()

    assert hits("gone") == set()


def test_search_finds_short_words_in_names() -> None:
    a_kernel(name="ab", standalone_source="x\n")

    assert hits("AB") == {"ab"}


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite makes tables anew")
def test_dropped_search_triggers_are_restored_and_missed_rows_indexed() -> None:
    with connection.cursor() as cursor:
        for table in SEARCHED:
            for event in ("insert", "update", "delete"):
                cursor.execute(f"DROP TRIGGER {words_of(table)}_{event}")
    a_kernel(name="missed_kernel", standalone_source="x\n")

    make_indexes()

    assert hits("missed_k") == {"missed_kernel"}


def tagged(*tags: str) -> set[str]:
    return set(Filter(tag=tags).of(Kernel.objects.all()).values_list("name", flat=True))


def test_a_tag_search_matches_whole_current_tags() -> None:
    a_kernel(name="both", tags=["fp8", "online-softmax"])
    changed = a_kernel(name="changed", tags=["fp8"])
    a_kernel(name="longer", tags=["fp8-row", "OFP8"])
    a_kernel(name="gone", tags=["fp8"]).delete()
    a_pair(slug="pair", tags=["fp8"])
    Kernel.objects.filter(pk=changed.pk).update(tags=["fused", 'a"b'])

    assert tagged("fp8") == {"both"}
    assert tagged("fp8", 'a"b') == {"both", "changed"}
    assert tagged("fp") == tagged("pair") == set()
    assert Filter(tag=("fp8",)).of(Pair.objects.all()).count() == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite makes tables anew")
def test_dropped_tag_triggers_are_restored_and_missed_tags_indexed() -> None:
    kernel = a_kernel(name="before", tags=["old"])
    with connection.cursor() as cursor:
        for event in ("insert", "update", "delete"):
            cursor.execute(f"DROP TRIGGER curation_kernel_tags_{event}")
    a_kernel(name="meanwhile", tags=["new"])
    Kernel.objects.filter(pk=kernel.pk).update(tags=["new"])

    make_indexes()

    assert tagged("new") == {"before", "meanwhile"}
    assert tagged("old") == set()


# --- `among`: one of a list, handed over as one value ----------------------------------------
def test_among_finds_exactly_the_rows_of_a_list() -> None:
    one, two, three = (make.a_kernel() for _ in range(3))

    found = Kernel.objects.filter(pk__among=[three.pk, one.pk, -1]).order_by("pk")

    assert list(found) == [one, three]
    assert list(Kernel.objects.exclude(pk__among={one.pk, three.pk})) == [two]


def test_among_passes_100_000_keys_as_one_parameter() -> None:
    kernel = make.a_kernel()
    rows = Kernel.objects.filter(pk__among=range(kernel.pk, kernel.pk + 100_000))

    assert len(queries_of(lambda: list(rows))) == 1
    assert list(rows) == [kernel]


def test_among_an_empty_list_runs_no_query() -> None:
    assert queries_of(lambda: list(Kernel.objects.filter(pk__among=[]))) == []


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
