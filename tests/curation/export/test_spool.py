"""Lines that wait in a file until their turn has come."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from curation.export.folder import decode, encode
from curation.export.spool import Spool, SpooledLines, hash_index, in_hash_order

HASHES = some.binary().map(lambda data: hashlib.sha256(data).hexdigest())
VALUES = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(1 << 63), (1 << 63) - 1)
    | some.floats()
    | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner),
)


def test_lines_are_taken_in_any_order_and_again(tmp_path: Path) -> None:
    lines = {hashlib.sha256(line.encode("utf-8", "surrogatepass")).hexdigest(): line
             for line in ("a b", "\ud800 half a letter", "", "größer")}  # fmt: skip
    with Spool(tmp_path) as spool:
        first = spool.put(list(lines)[:3], list(lines.values())[:3])
        nothing = spool.put([], [])
        assert list(spool.take(first)) == list(lines.items())[:3]
        places = np.concatenate([first, nothing, spool.put(list(lines)[3:], ["größer"])])

        assert list(spool.take(places[::-1])) == list(lines.items())[::-1]
        last = spool.put([hashlib.sha256(b"").hexdigest()], ["one more"])
        assert [line for _, line in spool.take(np.concatenate([last, places]))] == [
            "one more", *lines.values(),
        ]  # fmt: skip


def test_the_spool_is_not_seen_in_the_folder(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        spool.put([hashlib.sha256(b"").hexdigest()], ["text"])
        assert list(tmp_path.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


@given(some.lists(HASHES, unique=True))
def test_the_hash_order_sorts_by_hash(hashes: list[str]) -> None:
    places = hash_index(hashes)
    places["offset"] = range(len(hashes))

    ordered = in_hash_order(places)

    assert [hashes[number] for number in ordered["offset"]] == sorted(hashes)
    assert places["identity"].tolist() == [int(content_hash[:16], 16) for content_hash in hashes]


def test_hashes_with_a_common_prefix_are_sorted() -> None:
    places = hash_index(["0" * 20 + tail * 44 for tail in ("c", "a", "b")])
    places["offset"] = range(3)

    assert in_hash_order(places)["offset"].tolist() == [1, 2, 0]


def test_lines_come_in_the_order_of_the_hashes_also_after_a_first_round(tmp_path: Path) -> None:
    with Spool(tmp_path) as spool:
        lines = SpooledLines(spool)
        for digit in "cab":
            lines.add(digit * 64, digit)
        assert list(lines.take()) == [["a", "b", "c"]]
        lines.add("d" * 64, "d")
        spool.put(["e" * 64], ["not this one"])
        assert list(lines.take()) == [["d"]]
        assert list(lines.take()) == []


@pytest.mark.slow
@given(VALUES)
def test_json_has_the_bytes_of_the_standard_encoder(value: Any) -> None:
    text = encode(value)

    if "NaN" not in json.dumps(value) and "Infinity" not in json.dumps(value):
        assert text == json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        assert encode(decode(encode({"value": value}))) == encode({"value": value})


def test_small_floats_and_halves_of_letters_have_the_bytes_of_the_standard_encoder() -> None:
    for value in (1e-7, 1e-05, 0.00001234, 1e22, 5e-324, -0.0, "\ud800", 1 << 70, "e-7", "1e-7"):
        expected = json.dumps({"a": value}, ensure_ascii=False, separators=(",", ":"))
        assert encode({"a": value}) == expected
        if value != 1 << 70:
            assert decode(expected) == {"a": value}
