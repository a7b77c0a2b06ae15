"""A simplifier that leaves drafts as they are."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Texts = dict[str, str]


@contextmanager
def keep() -> Iterator[Callable[[Texts, str, bool], tuple[Texts, dict[str, str]]]]:
    yield lambda texts, *_: (texts, {})
