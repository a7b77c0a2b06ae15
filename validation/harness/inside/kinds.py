"""Whose code answers where a value or a class is asked for something.

Nothing is asked of the value itself: one of the entry's can have an answer of its own to what it
is, what it equals, what it derives from and what it holds.
"""

from _collections import _tuplegetter  # type: ignore[import-not-found]
from collections.abc import Callable, Container, Iterator
from enum import Enum
from types import (
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    WrapperDescriptorType,
)
from typing import Any

from validation.harness.inside.folder import MARK
from validation.harness.inside.hidden import table

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

# What was there when all was imported, by where it is; and ours, put where the entry comes by.
known: Callable[[int], type | None] = table({})
kept: Callable[[int], Any] = table({})
OURS: tuple[Any, ...] = ()


def by_entry(value: Any) -> bool:
    """Whether it is a function that stands in the entry's files."""
    return type(value) is FunctionType and MARK in value.__code__.co_filename


def written(
    kind: type, *, beside: Container[str] = BEFORE, looked_for: Container[str] | None = None
) -> Iterator[str]:
    """What of a class the entry wrote, or put into what can't be looked into. Of one that came
    later only what is `looked_for` counts, if that is said, and what Python itself asks for."""
    for each in ANCESTORS(kind):
        names = looked_for if not is_known(each) else None
        names = ASKED if issubclass(each, Enum) else names
        for name, part in HELD(each).items():
            counts = names is None or name in names or (names is looked_for and _is_pythons(name))
            if name not in beside and counts and answers(name, part):
                yield f"{each.__name__}.{name}"


def _is_pythons(name: str) -> bool:
    return name.startswith("__") and name not in ("__repr__", "__str__")


def answers(name: str, part: Any) -> bool:
    """Whether code of the entry's would run, or may, where a class's or a module's `name` is it."""
    if kept(id(part)) is not None or any(part is each for each in OURS):
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
    gets = any("__get__" in HELD(each) for each in ANCESTORS(kind))
    if issubclass(kind, type):
        return gets or (not is_known(part) and (name in ASKED or _is_pythons(name)))
    return gets or callable(part)


def keep(part: Any) -> None:
    global OURS
    OURS += (part,)


def is_known(kind: type) -> bool:
    """Whether it was there before the entry came."""
    return known(id(kind)) is not None


def meet() -> None:
    """All classes that are there by now, and what of theirs would else look like the entry's. But
    functions: one can be given other code, where all else that a class holds stays what it is."""
    global known, kept
    left: list[type] = [object]
    kinds: dict[int, type] = {}
    held: dict[int, Any] = {}
    while left:
        kind = left.pop()
        if id(kind) not in kinds:
            kinds[id(kind)] = kind
            left += type.__subclasses__(kind)
            parts = HELD(kind).values()
            held.update({id(part): part for part in parts if type(part) is not FunctionType})
    known, kept = table(kinds), table(held)


meet()
