"""Rows of an author's test that become the cases of a draft."""

from ingest.drafting.choosing import choose_rows


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
