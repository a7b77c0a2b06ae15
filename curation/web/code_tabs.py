"""Tabs of an item's page that show its code."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string

from curation.decisions import talk
from curation.lexer import is_readable
from curation.models import Kernel, Pair, Provenance, SourceText, ValidationResult
from curation.web import evidence, highlight
from curation.web.access import text_url
from curation.web.highlight import Section, last_name, table

# Number of lines to show above and below a kernel if its file is too long.
AROUND = 1000
# Outputs of the compiler, from left to right.
COMPILER_TEXTS = {"ttgir": "Triton GPU dialect", "ptx": "PTX"}
# Maximum characters of an output. The compile check stores only the beginning of longer outputs.
COMPILED_TEXT_MOST = 100_000

Places = Sequence[Provenance]
Threads = Sequence[talk.Thread]


@dataclass(frozen=True, slots=True)
class Pane:
    """A file that a tab shows, possibly next to others. `column` is its name in the URL."""

    title: str
    column: str
    parts: Sequence[Section]


def unit(kernel: Kernel, places: Places, talked: Threads) -> dict[str, Any]:
    """Return the standalone unit: the kernel, then the definitions that it uses."""
    source, own = kernel.standalone_source, last_name(kernel.name)
    rest = highlight.taken(source, own, places[0].drawn_from if places else ())
    shown = _shown(kernel, "standalone_source", talked)
    parts = highlight.kernel_first(source, own, rest or "Imports and constants", **shown)
    return {"parts": parts, "outline": _outline(source, own)}


def _in_its_file(kernel: Kernel, places: Places, talked: Threads) -> dict[str, Any]:
    """Return the file with the kernel marked. A long file is cut to lines around the kernel."""
    place = places[0] if places else None
    url = _lines_of(place) if place and not place.cell else None
    first = place.start_line if place else 1
    shown = _shown(kernel, "function_source", talked)
    own = table(kernel.function_source, first=first, url=url, name="unit", **shown)
    text = _text_of_file(place) if place and not place.cell else ""
    if not place or not text:
        cell = f"The lines are those of cell {place.cell} of a notebook." if place else ""
        facts = cell if place and place.cell else "Only these lines of the file are stored."
        return {"parts": [Section("", own)], "outline": [], "facts": facts}
    every = text.split("\n")
    whole = len(every) <= highlight.MOST_LINES and is_readable(text)
    begin = 0 if whole else max(first - 1 - AROUND, 0)
    around = "\n".join(every if whole else every[begin : place.end_line + AROUND])
    above = table(around, 1, first - 1 - begin, first=begin + 1, url=url)
    below = table(around, place.end_line + 1 - begin, first=begin + 1, url=url)
    return {
        "parts": [Section("", above), Section("", own), Section("", below)],
        "outline": _outline(around, last_name(kernel.name), first=begin + 1),
        "facts": "" if whole else f"{AROUND:,} lines above and below it, of {len(every):,}.",
    }


def _text_of_file(place: Provenance) -> str:
    stored = SourceText.objects.filter(sha256=place.source_file.sha256)
    return stored.values_list("text", flat=True).first() or ""


def _launcher(kernel: Kernel, places: Places, talked: Threads) -> dict[str, Any]:
    html = table(kernel.launcher_source, **_shown(kernel, "launcher_source", talked))
    return {"parts": [Section("", html)], "outline": _outline(kernel.launcher_source)}


KERNEL: Mapping[str, Callable[[Kernel, Places, Threads], dict[str, Any]]] = {
    "standalone": unit,
    "file": _in_its_file,
    "launcher": _launcher,
}


def pair(pair: Pair, query: dict[str, str], talked: Threads) -> dict[str, Any]:
    columns = _chosen(query, Pair.SOURCES)
    outline = []
    panes = []
    for column in columns:
        source, anchor = getattr(pair, column), f"{column}-"
        parts = highlight.opened_at_kernel(source, anchor=anchor, **_shown(pair, column, talked))
        panes.append(Pane(f"{column}.py", column, parts))
        outline += _outline(source, anchor=anchor)
    return {"panes": panes, "alone": len(panes) == 1, "outline": outline}


def compiled(result: ValidationResult | None, query: dict[str, str]) -> dict[str, Any]:
    """Return the outputs of the newest compile and what the binary uses."""
    if result is None:
        return {"panes": []}
    texts = {row.name: row.text for row in result.texts.all()}
    panes = [
        Pane(
            f"{COMPILER_TEXTS[name]}{_cut(texts[name])}",
            name,
            [Section("", table(texts[name], anchor=f"{name}-", plain=True))],
        )
        for name in _chosen(query, [name for name in COMPILER_TEXTS if name in texts])
    ]
    facts = [*evidence.resources(result.figures), f"compiled {result.created_at:%Y-%m-%d}"]
    return {"panes": panes, "alone": len(panes) == 1, "facts": ", ".join(facts)}


def _cut(text: str) -> str:
    return f", the first {len(text):,} characters" if len(text) >= COMPILED_TEXT_MOST else ""


def _chosen(query: dict[str, str], names: Sequence[str]) -> Sequence[str]:
    """Return the file that the URL names, or all of them."""
    return [query["file"]] if query.get("file") in names else names


def _shown(item: Any, column: str, talked: Threads) -> dict[str, Any]:
    """Return the URL of the complete text, and its comments if the reviewer may see them."""
    whole = {"whole": text_url(item, column)}
    return whole if item.blind else whole | {"file": column, "notes": _notes(talked, column)}


def _notes(threads: Threads, file: str) -> dict[int, str]:
    """Return the open threads on the present text as HTML, by line."""
    notes: dict[int, str] = {}
    for thread in threads:
        first: Any = thread.first
        if first.file == file and not thread.earlier and not thread.resolved:
            html = render_to_string("curation/tabs/note.html", {"thread": thread})
            notes[first.line] = notes.get(first.line, "") + html
    return notes


def _outline(
    source: str, own: str = "", anchor: str = "L", first: int = 1
) -> list[tuple[str, str, bool]]:
    """Return a link to each function of a text, its name, and whether it is the kernel."""
    return [
        (f"#{anchor}{each.line + first - 1}", each.name, each.name == own if own else each.kernel)
        for each in highlight.functions(source) or ()
    ]


def _lines_of(place: Provenance) -> Callable[[int], str]:
    file = place.source_file
    return lambda line: file.repository.blob_url(file.commit, file.path, (line, line))
