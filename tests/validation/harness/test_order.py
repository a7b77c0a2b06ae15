"""What takes longest to compile does not begin last."""

from hypothesis import given
from hypothesis import strategies as st

from validation.harness import Entry
from validation.harness.schedule import long_ones_not_last

LONG, SHORT = "total = tl.dot(a, b, total)", "tl.store(out_ptr, tl.load(x_ptr) * 2)"


def made(which: list[bool]) -> list[Entry]:
    return [
        Entry(str(number), "", LONG if long else SHORT, "", "work", False, "hand")
        for number, long in enumerate(which)
    ]


@given(st.lists(st.booleans()))
def test_every_entry_is_there_once_and_the_first_half_stays_as_it_was(which: list[bool]) -> None:
    entries = made(which)
    ordered = long_ones_not_last(entries)
    half = len(entries) // 2
    assert ordered[:half] == entries[:half]
    assert sorted(one.id for one in ordered) == sorted(one.id for one in entries)


def test_products_of_matrices_begin_the_later_half() -> None:
    ordered = long_ones_not_last(made([True, False, False, False, True, False, False, True]))
    assert [one.id for one in ordered] == ["0", "1", "2", "3", "4", "7", "5", "6"]


def test_a_scaled_product_counts_and_a_name_that_ends_alike_does_not() -> None:
    scaled = Entry("scaled", "", "tl.dot_scaled(a, s, 'e4m3', b)", "", "work", False, "hand")
    alike = Entry("alike", "", "def sum_of_knot(x): ...\npolkadot(x)", "", "work", False, "hand")
    assert long_ones_not_last([alike, alike, scaled]) == [alike, scaled, alike]
