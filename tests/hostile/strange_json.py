"""Values and bytes that a hostile program may write where an honest one writes JSON."""

import json
from typing import Any

from hypothesis import strategies as st

INFINITY = float("inf")
# Small, with what a parser, a database or a recursion may trip over.
NAMES = ("answer", "compiles", "undecided", "error", "dict", "tuple", "float32")
WORDS = st.text(max_size=5) | st.sampled_from(["\0", "\ud800", "\u202e", *NAMES])
NUMBERS = (
    st.integers(-3, 70)
    | st.sampled_from([10**30, -(10**4000), 2**63, 1e308, INFINITY, -INFINITY, float("nan")])
    | st.floats()
)
SCALARS = st.none() | st.booleans() | NUMBERS | WORDS


def _nested(depth: int, inner: Any, as_list: bool) -> Any:
    for _ in range(depth):
        inner = [inner] if as_list else {"tuple": inner}
    return inner


DEEP = st.builds(_nested, st.sampled_from([45, 49, 50, 60, 300]), SCALARS, st.booleans())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=8,
)
STRANGE = VALUES | DEEP


@st.composite
def mutated(draw: st.DrawFn, tree: Any) -> Any:
    """`tree` with a part, at any depth, that is something else, is missing, or is doubled."""
    if not isinstance(tree, dict | list) or not tree:
        same_kind = NUMBERS if isinstance(tree, int | float) else WORDS
        return draw(same_kind | STRANGE)
    if not draw(st.integers(0, 15)):
        return draw(STRANGE)
    if isinstance(tree, dict):
        name = draw(st.sampled_from(sorted(tree)))
        if not draw(st.integers(0, 9)):
            return {key: part for key, part in tree.items() if key != name}
        return tree | {name: draw(mutated(tree[name]))}
    place = draw(st.integers(0, len(tree) - 1))
    match draw(st.integers(0, 11)):
        case 0:
            return tree[:place] + tree[place + 1 :]
        case 1:
            return [*tree, tree[place]]
    return [*tree[:place], draw(mutated(tree[place])), *tree[place + 1 :]]


@st.composite
def written(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> bytes:
    """The bytes of a value, often valid JSON, sometimes broken off or not even text."""
    data = json.dumps(draw(values)).encode()
    match draw(st.integers(0, 9)):
        case 0:
            return data[: draw(st.integers(0, len(data)))]
        case 1:
            return data.replace(b"Infinity", b"1e999").replace(b"NaN", b"-1e999")
        case 2:
            place = draw(st.integers(0, len(data)))
            return data[:place] + draw(st.binary(max_size=8)) + data[place:]
        case 3:
            return draw(st.binary(max_size=60))
        case 4:
            return draw(st.sampled_from([b"[", b'{"a":'])) * draw(st.sampled_from([60, 9_000]))
    return data
