"""Entries that take longest to compile begin early."""

from hypothesis import given
from hypothesis import strategies as st

from validation.harness.entry import Entry
from validation.harness.schedule import sort_longest_first

LONG, SHORT = "total = tl.dot(a, b, total)", "tl.store(out_ptr, tl.load(x_ptr) * 2)"


def made(codes: list[str]) -> list[Entry]:
    return [
        Entry(str(number), "", code, "", "work", False, "hand") for number, code in enumerate(codes)
    ]


def names(entries: list[Entry]) -> list[str]:
    return [one.id for one in entries]


@given(st.lists(st.sampled_from([LONG, SHORT, SHORT * 2])), st.integers(0, 9))
def test_sorting_keeps_every_entry_once_and_the_first_in_place(
    codes: list[str], first: int
) -> None:
    entries = made(codes)
    ordered = sort_longest_first(entries, after=first)
    assert ordered[:first] == entries[:first]
    assert sorted(names(ordered)) == sorted(names(entries))


def test_entries_with_matrix_products_follow_the_first_entries() -> None:
    some = made([LONG, SHORT, SHORT, SHORT, LONG, SHORT, SHORT, LONG])
    assert names(sort_longest_first(some, after=2)) == ["0", "1", "4", "7", "2", "3", "5", "6"]


def test_the_shortest_entry_starts_last() -> None:
    some = made([SHORT * 3, SHORT, SHORT * 4, LONG, SHORT * 2])
    assert names(sort_longest_first(some, after=0)) == ["3", "2", "0", "4", "1"]


def test_a_scaled_dot_counts_as_a_product_and_a_similar_name_does_not() -> None:
    scaled = "tl.dot_scaled(a, s, 'e4m3', b)"
    alike = "def sum_of_knot(x): ...\npolkadot(x)  # longer than the other is\n"
    assert names(sort_longest_first(made([alike, alike, scaled]), after=0)) == ["2", "0", "1"]
