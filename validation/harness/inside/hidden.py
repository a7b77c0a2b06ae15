"""Functions that can be called and not looked into.

An entry's code shares its process with what watches it, and in Python a function leads to its
closure and its globals. So what torch and Triton are given to call is in a wrapper, written in C,
that shows nobody what it holds. Frames and the garbage collector still do: audit hooks hear of it.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")

# Of the wrappers in C the one that is silent about what it wraps. It caches nothing here.
_wrapper: Any = functools._lru_cache_wrapper


def hidden(function: Callable[..., Any]) -> Callable[..., Any]:
    wrapped: Callable[..., Any] = _wrapper(function, 0, False, tuple)
    return wrapped


def table(content: Mapping[Key, Value]) -> Callable[[Key], Value | None]:
    """What stands under a key. A proxy of a dict hands it to whoever compares the two."""
    return hidden({**content}.get)
