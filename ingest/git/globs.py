"""Selection of paths by globs as in .gitignore, on `/`-separated paths.

`*` and `?` match within a name, `**` matches folders, and `[a-z]` is a class. A pattern without a
slash matches a name in any folder. A pattern that matches a folder matches every path below it.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

PYTHON = ("**/*.py",)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selection of the paths that are below a sparse path, included and not excluded.

    Without sparse paths, all folders are searched. Without include patterns, all files match. A
    path that matches `always` is selected in any folder.
    """

    include: tuple[str, ...] = PYTHON
    exclude: tuple[str, ...] = ()
    sparse_paths: tuple[str, ...] = ()
    always: tuple[str, ...] = ()

    def matcher(self) -> Callable[[str], bool]:
        """Return a predicate on paths. It has compiled the patterns once, for all paths."""
        included = matching_any(self.include) if self.include else None
        excluded = matching_any(self.exclude) if self.exclude else None
        everywhere = matching_any(self.always) if self.always else None
        roots = tuple(_clean(path) for path in self.sparse_paths)
        prefixes = tuple(f"{root}/" for root in roots)

        def wanted(path: str) -> bool:
            if everywhere is not None and everywhere(path):
                return True
            if roots and "" not in roots and path not in roots and not path.startswith(prefixes):
                return False
            if included is not None and not included(path):
                return False
            return excluded is None or not excluded(path)

        return wanted


def matching_any(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Return a predicate that tells whether any of the patterns matches a path."""
    expressions = [_expression(pattern) for pattern in patterns if _clean(pattern)]
    together = re.compile("|".join(expressions or ["(?!)"]))
    return lambda path: together.fullmatch(path) is not None


@lru_cache(maxsize=512)
def _expression(pattern: str) -> str:
    anchored = "/" in pattern.strip().rstrip("/")
    names = _clean(pattern).split("/")
    if not anchored:
        names.insert(0, "**")
    first, *others = _runs(names)
    if not others:
        return f"(?s:{first}(?:/.+)?)"
    *middle, last = others
    parts = [f"{first}/" if first else ""]
    # The part between two ** may match at its first occurrence only (an atomic group). Otherwise a
    # hostile pattern takes exponential time, because each part is tried at every place.
    parts += [f"(?>(?:[^/]+/)*?{run}/)" for run in middle if run]
    parts.append(f"(?:[^/]+/)*?{last}(?:/.+)?" if last else ".+")
    return f"(?s:{''.join(parts)})"


def _runs(names: list[str]) -> list[str]:
    """Return a regular expression for each sequence of names between two `**`."""
    runs: list[list[str]] = [[]]
    for name in names:
        if name == "**":
            runs.append([])
        else:
            runs[-1].append(_name_expression(name))
    return ["/".join(run) for run in runs]


def _name_expression(name: str) -> str:
    """Return the regular expression of one name in a path, which may contain `*`."""
    pieces = [""]
    position = 0
    while position < len(name):
        character = name[position]
        position += 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "[^/]"
        elif character == "[" and (closing := name.find("]", position + 1)) != -1:
            pieces[-1] += _class_expression(name[position:closing])
            position = closing + 1
        else:
            pieces[-1] += re.escape(character)
    first, *others = pieces
    if not others:
        return first
    *middle, last = others
    return first + "".join(f"(?>[^/]*?{piece})" for piece in middle if piece) + f"[^/]*{last}"


def _class_expression(inside: str) -> str:
    negated = inside.startswith(("!", "^")) and len(inside) > 1
    members = inside[1:] if negated else inside
    members = re.sub(r"([\\\[\]^&~|])", r"\\\1", members)
    try:
        re.compile(f"[{members}]")
    except re.error:  # a reversed range such as [z-a] contains no character
        return "(?!)"
    # The look-ahead prevents a class such as [!a] or [+-9] from matching the slash.
    return f"(?!/)[{'^' if negated else ''}{members}]"


def _clean(path: str) -> str:
    path = path.strip()
    return "" if path == "." else path.removeprefix("./").strip("/")
