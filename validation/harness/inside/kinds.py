"""Whose code answers where a value or a class is asked for something.

Nothing is asked of the value itself: one of the entry's can have an answer of its own to what it
is, what it equals, what it derives from and what it holds.
"""

from _collections import _tuplegetter  # type: ignore[import-not-found]
from collections.abc import Container, Iterator, Mapping
from enum import Enum
from types import (
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from validation.harness.inside.folder import MARK

ANCESTORS, HELD = (type.__dict__[name].__get__ for name in ("__mro__", "__dict__"))
# Called when an object is made, which is before.
BEFORE = frozenset({"__init__", "__new__", "__post_init__", "__init_subclass__"})
# What anybody may ask of anything, unlike the rest of its methods.
ASKED = frozenset({
    "__getattr__", "__getattribute__", "__class__", "__index__", "__int__", "__float__",
    "__bool__", "__eq__", "__hash__", "base", "data_ptr", "untyped_storage",
})  # fmt: skip
# C's, which the entry can't have written.
OF_C = frozenset({
    *map(id, (ClassMethodDescriptorType, GetSetDescriptorType, MemberDescriptorType,
              MethodDescriptorType, WrapperDescriptorType, _tuplegetter))
})  # fmt: skip

KNOWN: Mapping[int, type] = MappingProxyType({})
KEPT: Mapping[int, Any] = MappingProxyType({})


def by_entry(value: Any) -> bool:
    """Whether calling it runs code that stands in the entry's files."""
    code = getattr(value, "__code__", None)
    return code is not None and MARK in code.co_filename


def written(
    kind: type, *, beside: Container[str] = BEFORE, looked_for: Container[str] | None = None
) -> Iterator[str]:
    """What of a class the entry wrote, or put into what can't be looked into. Of one that came
    later only what is `looked_for` counts, if that is said, and what Python itself asks for."""
    for each in ANCESTORS(kind):
        names = looked_for if id(each) not in KNOWN else None
        names = ASKED if issubclass(each, Enum) else names
        for name, part in HELD(each).items():
            counts = names is None or name in names or (names is looked_for and _is_pythons(name))
            if name not in beside and counts and answers(name, part):
                yield f"{each.__name__}.{name}"


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name not in ("__repr__", "__str__")


def answers(name: str, part: Any) -> bool:
    """Whether code of the entry's would run, or may, where a class's or a module's `name` is it."""
    if id(part) in KEPT:
        return False
    if type(part) is property:
        part = part.fget
    elif type(part) is staticmethod or type(part) is classmethod:
        part = part.__func__
    kind = type(part)
    if kind is FunctionType:
        return by_entry(part)
    if id(kind) in OF_C:
        return False
    if issubclass(kind, type):
        return name in ASKED
    return callable(part) or any("__get__" in HELD(each) for each in ANCESTORS(kind))


def keep(part: Any) -> None:
    """Ours, put where the entry comes by."""
    global KEPT
    KEPT = MappingProxyType({**KEPT, id(part): part})


def is_known(kind: type) -> bool:
    """Whether it was there before the entry came."""
    return id(kind) in KNOWN


def meet() -> None:
    """All classes that are there by now, and what of theirs would else look like the entry's. But
    functions: one can be given other code, where all else that a class holds stays what it is."""
    global KNOWN, KEPT
    known, kept, left = dict(KNOWN), dict(KEPT), [object]
    met: set[int] = set()
    while left:
        kind: type = left.pop()
        if id(kind) not in met:
            met.add(id(kind))
            known[id(kind)] = kind
            left += type.__subclasses__(kind)
            parts = HELD(kind).values()
            kept.update({id(part): part for part in parts if type(part) is not FunctionType})
    KNOWN, KEPT = MappingProxyType(known), MappingProxyType(kept)


meet()
