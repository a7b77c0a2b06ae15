"""Substring search: it follows every write, and survives a table that a migration made anew."""

import pytest
from django.db import connection

from curation.models import Kernel, Pair
from curation.search.filters import Filter
from curation.search.indexes import SEARCHED, make_indexes, words_of
from tests.factories import a_kernel, a_pair

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
