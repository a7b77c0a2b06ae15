"""The oldest Triton release that has all names that a text uses.

`triton_releases.json` has, for each name of Triton's modules and for each parameter of their
functions, the first release that has it. `benchmarks/derive_triton_releases.py` derives it from the
releases' sources. Only names are compared. A release that has all names may still compile a text
differently.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from functools import lru_cache
from itertools import accumulate
from pathlib import Path

from curation.pairs.used_names import parse, unconditional, uses

_TABLE = json.loads((Path(__file__).parent / "triton_releases.json").read_text())
RELEASES: tuple[str, ...] = tuple(_TABLE["releases"])
FLOOR = RELEASES[0]
"""Oldest release in the comparison. A text may run on even older releases."""
FIRST: dict[str, str] = _TABLE["first"]

DESCRIPTOR = FIRST["triton.tools.tensor_descriptor"]
"""First release in which a kernel may take a descriptor as an argument."""

WORD = re.compile(r"\w+")
METHOD = re.compile(r"\b(?!tl\.)\w+\.(?:load|store)\(")


def min_triton(text: str) -> str:
    """Return a release such as "3.2", at least `FLOOR`.

    A name does not count if it is used under a condition such as `if hasattr(tl, "gather"):`.
    """
    if not _may_need_more(text) and not METHOD.search(text):
        return FLOOR
    tree = parse(text)
    if tree is None:
        return FLOOR
    needed = {FLOOR, DESCRIPTOR if _takes_descriptor(tree) else FLOOR}
    for use in uses(tree):
        if not use.name.startswith("triton"):
            continue
        if use.keyword:
            needed.add(FIRST.get(f"{use.name}({use.keyword})", FLOOR))
        else:
            prefixes = accumulate(use.name.split("."), "{}.{}".format)
            needed.update(FIRST.get(prefix, FLOOR) for prefix in prefixes)
    return max(needed, key=RELEASES.index)


def _takes_descriptor(tree: ast.Module) -> bool:
    """Return True if a decorated function calls `load` or `store` on one of its arguments."""
    for function in unconditional(tree):
        if isinstance(function, ast.FunctionDef) and function.decorator_list:
            taken = {argument.arg for argument in function.args.args}
            for node in unconditional(function):
                match node:
                    case ast.Call(func=ast.Attribute(ast.Name(name), "load" | "store")):
                        if name in taken:
                            return True
    return False


def _may_need_more(text: str) -> bool:
    """Return True if all words of some newer name occur. This saves parsing nine texts in ten."""
    words = frozenset(WORD.findall(text))
    return any(rest <= words for word in words for rest in _rare_words().get(word, ()))


@lru_cache(maxsize=1)
def _rare_words() -> dict[str, list[frozenset[str]]]:
    """Map the last word of each newer name to sets of other words. A use must have one such set."""
    words_by_last: dict[str, list[frozenset[str]]] = defaultdict(list)
    for name in FIRST:
        function, _, parameter = name.rstrip(")").partition("(")
        last = function.rpartition(".")[2]
        words_by_last[parameter or last].append(frozenset({last, "triton"}))
    return words_by_last
