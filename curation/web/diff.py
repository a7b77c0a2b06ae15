"""Side-by-side diff of two sources, with aligned names. Pure.

Near-duplicates often differ in names only. Lines are matched without their names. Then the second
source is shown with the names of the first, so that only other differences remain.
"""

import keyword
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

# Comments and strings match first, so that their words do not count as names. Attributes and
# keywords of calls, such as `mask=`, are not counted as names of the text either.
WORD = re.compile(
    r"#.*|(?s:(\"{3}|'{3}).*?(?<!\\)\1)|([\"'])(?:\\.|(?!\2)[^\\\n])*+\2"
    r"|(?<![\w.])(?P<name>[A-Za-z_]\w*+)(?!=[^=])"
)
KEPT = frozenset({*keyword.kwlist, "tl", "triton", "torch", "range", "int", "float", "len", "max"})
MARK = "\0"
# Maximum size of the texts. difflib needs quadratic time for very different texts.
MOST_LINES = 1500
MOST_CHARACTERS = 400_000


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A row of the diff. `left` and `right` are line numbers from 1, or None for no line."""

    kind: str
    left: int | None
    right: int | None


@dataclass(frozen=True, slots=True)
class Diff:
    left: str
    right: str
    """The second source with the names of the first."""
    rows: tuple[DiffRow, ...]
    renamed: tuple[tuple[str, str], ...]
    cut: bool

    @property
    def changed(self) -> int:
        return sum(row.kind != "same" for row in self.rows)


def compare(left: str, right: str, align: bool = True) -> Diff:
    cut = any(
        text.count("\n") >= MOST_LINES or len(text) > MOST_CHARACTERS for text in (left, right)
    )
    left, right = (_cut(text.replace(MARK, "")) for text in (left, right))
    names = _names(left, right) if align else {}
    aligned = WORD.sub(lambda found: names.get(found["name"], found[0]), right)
    renamed = tuple(sorted((old, new) for old, new in names.items() if old != new))
    return Diff(left, aligned, tuple(_rows(left.split("\n"), aligned.split("\n"))), renamed, cut)


def _cut(text: str) -> str:
    return "\n".join(text[:MOST_CHARACTERS].rstrip("\n").split("\n")[:MOST_LINES])


def _names(left: str, right: str) -> dict[str, str]:
    """Map names of the right source to names of the left, by majority over matching lines."""
    lefts, rights = _bare(left), _bare(right)
    bare = [line for line, _ in lefts], [line for line, _ in rights]
    votes: Counter[tuple[str, str]] = Counter()
    for tag, begin, end, other, _ in SequenceMatcher(None, *bare).get_opcodes():
        if tag == "equal":
            for offset in range(end - begin):
                new, old = lefts[begin + offset][1], rights[other + offset][1]
                votes.update(zip(old, new, strict=True))
    taken: set[str] = set()
    names: dict[str, str] = {}
    for (old_name, new_name), _ in sorted(votes.items(), key=lambda vote: (-vote[1], vote[0])):
        if old_name not in names and new_name not in taken:
            names[old_name] = new_name
            taken.add(new_name)
    # A name is not replaced if the result would be ambiguous.
    own = {name for _, line in rights for name in line}
    return {old: new for old, new in names.items() if new == old or new not in own or new in names}


def _bare(text: str) -> list[tuple[str, list[str]]]:
    """Return each line with a mark in place of its names, and the names."""
    words = (word["name"] for word in WORD.finditer(text))
    names = (name for name in words if name and name not in KEPT)
    lines = WORD.sub(_blank, text).split("\n")
    return [(line, [next(names) for _ in range(line.count(MARK))]) for line in lines]


def _blank(word: re.Match[str]) -> str:
    return MARK if word["name"] and word["name"] not in KEPT else word[0]


def _rows(left: list[str], right: list[str]) -> Iterator[DiffRow]:
    for tag, a, b, c, d in SequenceMatcher(None, left, right).get_opcodes():
        if tag == "equal":
            yield from (DiffRow("same", a + n + 1, c + n + 1) for n in range(b - a))
            continue
        for n in range(max(b - a, d - c)):
            yield DiffRow(
                "changed" if a + n < b and c + n < d else "gone" if a + n < b else "new",
                a + n + 1 if a + n < b else None,
                c + n + 1 if c + n < d else None,
            )
