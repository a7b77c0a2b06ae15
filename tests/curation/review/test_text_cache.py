"""The cache of texts holds a bounded number of bytes, whatever it is given."""

from concurrent.futures import ThreadPoolExecutor
from sys import getsizeof

from curation.review import highlight
from curation.review.text_cache import TextCache


def test_a_text_is_computed_once() -> None:
    asked: list[str] = []

    def upper(text: str) -> str:
        asked.append(text)
        return text.upper()

    cached = TextCache(upper, getsizeof, 10_000)

    assert [cached("a"), cached("b"), cached("a")] == ["A", "B", "A"]
    assert asked == ["a", "b"]


def test_the_text_that_was_used_longest_ago_goes_first() -> None:
    asked: list[str] = []
    cached = TextCache(lambda text: asked.append(text), lambda _: 1000, 3500)

    for text in "abcadb":
        cached(text)

    assert asked == ["a", "b", "c", "d", "b"]


def test_the_bytes_are_bounded_by_what_is_kept() -> None:
    cached = TextCache(lambda text: text * 25, getsizeof, 1_000_000)

    for number in range(500):
        cached(f"{number}" * 1000)
        assert cached.bytes <= 1_000_000
    assert cached("0" * 1_000_000) == "0" * 25_000_000
    assert cached.bytes <= 1_000_000


def test_the_highlighted_sources_of_a_process_are_bounded() -> None:
    # Over 200,000 characters and so not highlighted, which is quick: 1 MB for each.
    for number in range(80):
        highlight.lines(f"{number} = 1\n" + "&" * 1900 + ("\n" + "&" * 1900) * 110)

    assert 0 < highlight.lines.bytes <= highlight.KEPT_BYTES


def test_threads_share_it() -> None:
    cached = TextCache(lambda text: text * 10, getsizeof, 20_000)
    texts = [f"{number % 37}" * 50 for number in range(4000)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(cached, texts))

    assert found == [text * 10 for text in texts]
    assert cached.bytes == sum(size for _, size in cached._kept.values()) <= 20_000
