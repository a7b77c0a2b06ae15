"""Assignment of names to the definitions and imports of a standalone module.

Names of the kernel's own file are kept. A definition of another file is renamed if it clashes.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator

from ingest.extract.closure import Closure, Piece
from ingest.extract.targets import Builtin, External, Key, Local

Names = dict[Key, str]
Spellings = dict[str, dict[Piece, None]]


def assign_names(closure: Closure) -> tuple[Names, tuple[str, ...]]:
    """Return a unique name for each key that no inner scope hides, and notes on renamed keys."""
    spellings: defaultdict[Key, Spellings] = defaultdict(dict)
    for piece in closure.pieces.values():
        for key, spelled in _spellings(closure, piece):
            spellings[key].setdefault(spelled, {})[piece] = None
    names: Names = {}
    occupied: dict[str, Key] = {name: Builtin(name) for name in closure.missing}
    for key in sorted(spellings, key=lambda k: _precedence(closure, k)):
        names[key] = next(
            name
            for name in _candidates(key, list(spellings[key]))
            if name not in occupied and not _is_captured(name, spellings[key])
        )
        occupied[names[key]] = key
    renamed = tuple(
        f"{key.name} of {key.path} is called {new} here."
        for key, new in names.items()
        if isinstance(key, Local) and new != key.name
    )
    return names, renamed


def _is_captured(name: str, spellings: Spellings) -> bool:
    """Return whether a use would have to be renamed to `name` in a scope that already binds it."""
    return any(
        spelled != name and name in piece.names.inner
        for spelled, pieces in spellings.items()
        for piece in pieces
    )


def _spellings(closure: Closure, piece: Piece) -> Iterator[tuple[Key, str]]:
    yield from piece.resolution.spellings
    if piece.leaf is not None and piece.leaf.imports:
        for name in piece.leaf.binds:
            yield Local(piece.module.path, piece.scope.start, name), name
    for header in closure.headers_of(piece):
        yield from header.spellings


def _precedence(closure: Closure, key: Key) -> tuple[int, str, int, str]:
    """Return the sort key of a key: builtins, the kernel's file, imports, then other files."""
    if isinstance(key, Builtin):
        return 0, "", 0, key.name
    if isinstance(key, External):
        return 2, "", 0, key.dotted
    same_file = key.path == closure.target.module.path
    return (1 if same_file else 3), key.path, key.scope, key.name


def _candidates(key: Key, spellings: list[str]) -> Iterator[str]:
    if isinstance(key, Local):
        yield key.name
        stem = re.sub(r"\W", "_", posixpath.basename(key.path).removesuffix(".py"))
        base = f"{stem}_{key.name.lstrip('_')}"
        base = base if base.isidentifier() else f"_{base}"
    elif isinstance(key, External):
        yield from (s for s in spellings if s.isidentifier())
        base = key.dotted.replace(".", "_")
    else:
        base = key.name
    yield base
    number = 2
    while True:
        yield f"{base}_{number}"
        number += 1
