"""Rows of an author's test that become the cases of a draft."""

import itertools

import pytest

from ingest.drafting.reading.choosing import choose_rows, is_degenerate

WIDE = [False, True]
SCALES = [0.1, 0.3, 0.5, 0.7]
# The values of each parameter of a test, and the values of the first one in the chosen rows.
CHOSEN = {
    "more than one element and more than one size":
    ({"rows": [1, 3, 61], "scale": SCALES}, [3, 61, 3, 3]),
    "no huge size only for its size":
    ({"rows": [2**12, 2**23], "scale": SCALES}, [2**12] * 4),
    "ways to call the operation before other sizes":
    ({"kind": ["a", "b", "c"], "rows": [16, 61], "wide": WIDE}, ["a", "b", "c", "a"]),
    "several new values before one":
    ({"shape": [(4,), (6,), (2, 3, 5), (2**12, 2**12)], "kind": ["a", "b"], "wide": WIDE},
     [(4,), (2, 3, 5), (6,), (4,)]),
    "shapes without elements last":
    ({"shape": [(0, 8), (8, 0), (3, 4), (5, 61), (7, 31)]}, [(3, 4), (7, 31), (5, 61), (0, 8)]),
    "lists of shapes without elements last":
    ({"shape": [[(0,), (3,)], [(5,), (61,)], [(7,), (2,)]]},
     [[(7,), (2,)], [(5,), (61,)], [(0,), (3,)]]),
    "other sizes in the last row if no lighter row has some":
    ({"rows": [3, 2**20], "kind": ["a", "b"], "wide": WIDE}, [3, 3, 3, 2**20]),
}  # fmt: skip


@pytest.mark.parametrize(("axes", "values"), CHOSEN.values(), ids=CHOSEN)
def test_four_rows_together_show_the_values_of_a_test(
    axes: dict[str, list[object]], values: list[object]
) -> None:
    rows = [dict(zip(axes, each, strict=True)) for each in itertools.product(*axes.values())]

    assert [row[next(iter(axes))] for row in choose_rows(rows)] == values


def test_an_odd_size_is_shown_even_beside_a_batch_of_one() -> None:
    rows = [{"batch": 1, "tokens": 63}] + [
        {"batch": 8, "tokens": tokens} for tokens in (128, 256, 512, 1024, 2048)
    ]

    chosen = choose_rows(rows)

    assert chosen[:2] == [{"batch": 8, "tokens": 128}, {"batch": 1, "tokens": 63}]
    assert len(chosen) == 4


def test_an_odd_size_that_is_too_large_is_no_reason_for_a_row() -> None:
    rows = [{"tokens": 128 << n} for n in range(4)] + [{"tokens": 12_345_678}]

    assert choose_rows(rows) == rows[:4]


def test_a_scalar_and_a_single_element_take_the_place_of_one_case() -> None:
    shapes = [(), (1,), (20, 320, 15), (1024, 1024)]
    rows = [
        {"shape": shape, "dtype": dtype}
        for shape in shapes
        for dtype in ("float16", "float32", "bfloat16")
    ]

    chosen = choose_rows(rows)

    assert sum(row["shape"] in ((), (1,)) for row in chosen) == 1
    whole = [row for row in chosen if row["shape"] not in ((), (1,))]
    assert {row["dtype"] for row in whole} == {"float16", "float32", "bfloat16"}


def test_options_that_a_scalar_shows_are_shown_by_a_larger_tensor_too() -> None:
    rows = [
        {"shape": shape, "dtype": dtype, "exact": exact}
        for shape in [(), (20, 320, 15), (1024, 1024)]
        for dtype in ("float16", "float32")
        for exact in (True, False)
    ]

    chosen = choose_rows(rows)

    assert [row["shape"] for row in chosen] == [(20, 320, 15), (), (20, 320, 15), (1024, 1024)]
    assert {(row["dtype"], row["exact"]) for row in chosen[::2]} == {
        ("float16", True),
        ("float32", False),
    }


def test_a_list_of_axes_is_no_shape_without_elements() -> None:
    rows = [{"shape": (256, 128), "dim": dim} for dim in (None, [0, 1], [1, 0])]

    assert not any(map(is_degenerate, rows))
    assert choose_rows([{"shape": (1, 1), "dim": 0}, *rows])[0] == rows[0]
