"""What waits in a file until its turn has come."""

import hashlib
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from curation.export.aside import Aside, HashOrder

HASHES = some.binary().map(lambda data: hashlib.sha256(data).hexdigest())


def test_what_was_put_down_is_taken_up_in_any_order_and_again(tmp_path: Path) -> None:
    values = [("a", ("text", "")), "\ud800 half a letter", "", ("b", ())]
    with Aside(tmp_path) as aside:
        numbers = [aside.put(value) for value in values]

        assert list(aside.take(reversed(numbers))) == values[::-1]
        last = aside.put("one more")
        assert list(aside.take([last, *numbers])) == ["one more", *values]


def test_nothing_of_it_is_seen_in_the_folder(tmp_path: Path) -> None:
    with Aside(tmp_path) as aside:
        aside.put("text")
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@given(some.lists(HASHES, unique=True))
def test_the_order_is_that_of_the_hashes(hashes: list[str]) -> None:
    order = HashOrder()
    for content_hash in hashes:
        order.add(content_hash)

    assert [hashes[number] for number in order.order()] == sorted(hashes)
    assert order.heads.tolist() == [int(content_hash[:16], 16) for content_hash in hashes]


def test_hashes_that_begin_alike_have_an_order_too() -> None:
    order = HashOrder()
    for tail in ("c", "a", "b"):
        order.add("0" * 20 + tail * 44)

    assert order.order().tolist() == [1, 2, 0]
