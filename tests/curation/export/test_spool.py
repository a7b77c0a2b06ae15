"""What waits in a file until its turn has come."""

import hashlib
import json
import os
from array import array
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as some

from curation.export.spool import HashOrder, Spool, SpoolIndex

HASHES = some.binary().map(lambda data: hashlib.sha256(data).hexdigest())


def test_what_was_put_down_is_taken_up_in_any_order_and_again(tmp_path: Path) -> None:
    values = [("a", ("text", "")), "\ud800 half a letter", "", ("b", ())]
    with Spool(tmp_path) as spool:
        numbers = [*spool.put(values[:3]), *spool.put([]), *spool.put(values[3:])]

        assert list(spool.take(reversed(numbers))) == values[::-1]
        (last,) = spool.put(["one more"])
        assert list(spool.take([last, *numbers])) == ["one more", *values]


def test_nothing_of_it_is_seen_in_the_folder(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.put(["text"])
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@given(some.lists(HASHES, unique=True))
def test_the_order_is_that_of_the_hashes(hashes: list[str]) -> None:
    order = HashOrder()
    order.add(hashes[:2])
    order.add(hashes[2:])

    assert [hashes[number] for number in order.order()] == sorted(hashes)
    assert order.heads.tolist() == [int(content_hash[:16], 16) for content_hash in hashes]


def test_hashes_that_begin_alike_have_an_order_too() -> None:
    order = HashOrder()
    order.add("0" * 20 + tail * 44 for tail in ("c", "a", "b"))

    assert order.order().tolist() == [1, 2, 0]


def test_what_another_process_has_put_down_is_taken_up_here(tmp_path: Path) -> None:
    with Spool(tmp_path, shares=3) as spool:
        mine = spool.put(["mine"])
        for share in (2, 1):
            others, theirs = os.pipe()
            if (child := os.fork()) == 0:
                spool.begin(share)
                spool.put([f"first of {share}", f"second of {share}"])
                index = spool.index()
                os.write(theirs, json.dumps([list(index.places), list(index.lengths)]).encode())
                os._exit(0)
            os.waitpid(child, 0)
            places, lengths = json.loads(os.read(others, 10_000))
            index = SpoolIndex(array("q", places), array("I", lengths))
            assert spool.adopt(index) == len(spool.index()) - 2

        assert list(spool.take([4, 1, 3, 2, *mine])) == [
            "second of 1", "first of 2", "first of 1", "second of 2", "mine",
        ]  # fmt: skip
