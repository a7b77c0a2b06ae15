"""What a line is about: who binds it once has it on every line that is written meanwhile."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

NOTHING: Mapping[str, object] = MappingProxyType({})
_known: ContextVar[Mapping[str, object]] = ContextVar("known", default=NOTHING)


@contextmanager
def about(**facts: object) -> Iterator[None]:
    """`run`, `repository`, `request_id`: what the lines of this block are about."""
    before = _known.set({**_known.get(), **facts})
    try:
        yield
    finally:
        _known.reset(before)


def known() -> Mapping[str, object]:
    return _known.get()
