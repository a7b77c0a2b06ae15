"""Context of log lines: facts that are added to every line logged in a block."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

NOTHING: Mapping[str, object] = MappingProxyType({})
_known: ContextVar[Mapping[str, object]] = ContextVar("known", default=NOTHING)


@contextmanager
def about(**facts: object) -> Iterator[None]:
    """Add `run`, `repository` or `request_id` to the lines that are logged in this block."""
    before = _known.set({**_known.get(), **facts})
    try:
        yield
    finally:
        _known.reset(before)


def known() -> Mapping[str, object]:
    return _known.get()
