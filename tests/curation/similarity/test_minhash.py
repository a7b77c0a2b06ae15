from __future__ import annotations

import re
from unittest.mock import patch

import numpy as np
from datasketch import MinHash, MinHashLSH
from hypothesis import given
from hypothesis import strategies as st

from curation.similarity import headers
from curation.similarity.definitions import definitions
from curation.similarity.duplicates import THRESHOLD
from curation.similarity.minhash import (
    BANDS,
    CHUNK,
    PERMUTATIONS,
    ROWS,
    SEED,
    bands,
    from_bytes,
    shingle_hashes,
    signature,
    to_bytes,
)
from curation.similarity.shingles import containment, jaccard, shingles
from curation.similarity.words import code_of, words
from tests.curation.similarity.kernels import SOFTMAX, reformatted, renamed, unrelated

PIECES = ("def", "f", "x", "1", *"()()[]{}::,=", "->", "lambda", "\n")


def test_signatures_equal_those_of_datasketch_bit_for_bit() -> None:
    for text in ["", *map(unrelated, range(50))]:
        found = shingles([text])[0]
        theirs = MinHash(PERMUTATIONS, seed=SEED, scheme="affine32", hashfunc=int)
        if text:
            theirs.update_batch(shingle_hashes(found).tolist())

        assert np.array_equal(signature(found), theirs.hashvalues)


def test_the_bands_are_those_that_datasketch_chooses() -> None:
    index = MinHashLSH(threshold=THRESHOLD, num_perm=PERMUTATIONS, weights=(0.01, 0.99))

    assert (index.b, index.r) == (BANDS, ROWS)


def test_a_signature_is_the_same_on_every_machine() -> None:
    assert signature(shingles([SOFTMAX])[0])[:3].tolist() == GOLDEN_SIGNATURE
    assert bands(signature(shingles([SOFTMAX])[0]))[0] == GOLDEN_BAND


def test_a_long_text_is_signed_in_chunks() -> None:
    long = shingles([" ".join(unrelated(seed) for seed in range(500))])[0]
    halves = np.minimum(signature(long[:5000]), signature(long[5000:]))

    assert len(long) > 2 * CHUNK
    assert np.array_equal(signature(long), halves)


def test_a_signature_round_trips_through_bytes() -> None:
    values = signature(shingles([SOFTMAX])[0])

    assert np.array_equal(from_bytes(to_bytes(values)), values)


def test_a_text_is_split_into_names_numbers_and_operators() -> None:
    text = "x = tl.load(ptr + 1.5e3, mask=m)  # why\n'''doc'''\n"
    expected = ["x", "=", "tl", ".load", "(", "ptr", "+", "1.5e3", ",", "mask", "=", "m", ")"]

    found = words([text])

    assert found.codes.tolist() == [code_of(word) for word in expected]
    named = [w for w, is_name in zip(expected, found.are_names, strict=True) if is_name]
    assert named == ["x", "tl", "ptr", "m"]


def test_annotations_docstrings_comments_and_layout_give_no_tokens() -> None:
    one = 'def f(a: int, B: "tl.constexpr" = 3) -> dict[str, int]:\n    """Doc."""\n    g(a, B)\n'
    other = "def f(a, B=3):\n    # Other.\n    g(\n        a,\n        B,\n    )\n"

    assert words([one]).codes.tolist() == words([other]).codes.tolist()


@given(st.lists(st.sampled_from(PIECES)))
def test_a_header_without_brackets_is_tokenized_correctly(pieces: list[str]) -> None:
    text = f"def f(a: {' '.join(pieces)}"

    quickly = words([text]).codes.tolist()
    with patch.object(headers, "_HEADER", re.compile(b"(?!)")):
        assert words([text]).codes.tolist() == quickly


def test_renamed_and_reformatted_texts_have_the_same_shingles() -> None:
    texts = [SOFTMAX, renamed(SOFTMAX), reformatted(SOFTMAX), renamed(reformatted(SOFTMAX))]
    one, other, third, fourth = shingles(definitions(text)[0] for text in texts)

    assert jaccard(one, other) > 0.85
    assert jaccard(one, third) > 0.85
    assert jaccard(third, fourth) == 1.0


def test_shingles_of_a_batch_equal_those_of_single_texts() -> None:
    texts = [unrelated(seed) for seed in range(20)] + ["", "x", "'unclosed", "def f(", "#"]

    together = shingles(texts)

    for text, found in zip(texts, together, strict=True):
        assert np.array_equal(found, shingles([text])[0])


def test_containment_is_asymmetric_for_a_part_and_its_whole() -> None:
    part, whole = shingles([SOFTMAX, SOFTMAX + unrelated(1) + unrelated(2)])

    assert containment(part, whole) > 0.95
    assert containment(whole, part) < 0.6


@given(one=st.integers(0, 500), other=st.integers(0, 500))
def test_similarity_is_symmetric_and_between_zero_and_one(one: int, other: int) -> None:
    first, second = shingles([unrelated(one), unrelated(other)])

    assert jaccard(first, second) == jaccard(second, first)
    assert 0.0 <= jaccard(first, second) <= 1.0
    assert jaccard(first, first) == 1.0


GOLDEN_SIGNATURE = [12236061, 18290983, 32506723]
GOLDEN_BAND = 5911938502380507278
