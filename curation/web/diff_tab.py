"""Diff tab: an item next to a near-duplicate, or next to its previous version."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from curation.models import DuplicateLink, Kernel, Pair
from curation.web.access import number, text_url
from curation.web.diff import Diff, compare
from curation.web.highlight import lines, linked
from curation.web.remarks import remarks_on_test

Item = Kernel | Pair
Lines = Callable[[int | None], str]


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of one file of two items. A kernel's only file has no name."""

    name: str
    diff: Diff
    rows: Sequence[tuple[str | int | None, ...]]


def context(
    item: Any, query: dict[str, str], others: Sequence[tuple[DuplicateLink, Item]]
) -> dict[str, Any]:
    """Return the context of the tab: the item next to a near-duplicate or its previous version."""
    pks = [other.pk for _, other in others]
    if item.previous_id:
        pks.append(item.previous_id)
    with_ = number(query.get("with", ""))
    pk = with_ if with_ in pks else (pks[0] if pks else None)
    if pk is None:
        return {"files": []}
    other = type(item)._default_manager.get(pk=pk)
    before = pk == item.previous_id
    first, second = (other, item) if before else (item, other)
    inline = query.get("layout") == "inline"
    choices = [(one.pk, f"{one} ({link.similarity:.2f})", one.pk == pk) for link, one in others]
    if item.previous_id:
        choices.append((item.previous_id, "the version before", item.previous_id == pk))
    edited_test = before and isinstance(item, Pair)
    return {
        "files": [
            # Names of a near-duplicate are replaced by those of this item. Names of the previous
            # version are kept, to show renaming.
            _file_diff(first, second, column, align=not before, inline=inline)
            for column in (("standalone_source",) if isinstance(item, Kernel) else Pair.SOURCES)
        ],
        "remarks": remarks_on_test(first.test_code, second.test_code) if edited_test else [],
        "other": other,
        "before": before,
        "choices": choices,
        "inline": inline,
    }


def _file_diff(first: Item, second: Item, column: str, *, align: bool, inline: bool) -> FileDiff:
    diff = compare(getattr(first, column), getattr(second, column), align)
    left = _lines_by_number(diff.left, text_url(first, column))
    right = _lines_by_number(diff.right, text_url(second, column))
    rows = (_inline if inline else _split)(diff, left, right)
    return FileDiff("" if isinstance(first, Kernel) else f"{column}.py", diff, rows)


def _lines_by_number(text: str, whole: str) -> Lines:
    shown = lines(text)
    return lambda number: (
        linked(shown[number - 1], whole) if number and number <= len(shown) else ""
    )


def _split(
    diff: Diff, left: Lines, right: Lines
) -> list[tuple[str, int | None, str, int | None, str]]:
    return [(row.kind, row.left, left(row.left), row.right, right(row.right)) for row in diff.rows]


def _inline(diff: Diff, left: Lines, right: Lines) -> list[tuple[str, int | None, int | None, str]]:
    shown: list[tuple[str, int | None, int | None, str]] = []
    later: list[tuple[str, int | None, int | None, str]] = []
    for row in diff.rows:
        if row.kind == "same":
            shown += [*later, ("same", row.left, row.right, right(row.right))]
            later = []
            continue
        if row.left:
            shown.append(("gone", row.left, None, left(row.left)))
        if row.right:
            later.append(("new", None, row.right, right(row.right)))
    return shown + later
