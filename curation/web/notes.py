"""Threads of comments as HTML below the lines of a text."""

from collections.abc import Sequence
from typing import Any

from django.template.loader import render_to_string

from curation.decisions.talk import Thread


def notes_on(threads: Sequence[Thread], file: str) -> dict[int, str]:
    """Return the open threads on the present text, by line. Answers are written in the tab
    Discussion."""
    notes: dict[int, str] = {}
    for thread in threads:
        first: Any = thread.first
        if first.file == file and not thread.earlier and not thread.resolved:
            html = render_to_string("curation/tabs/note.html", {"thread": thread})
            notes[first.line] = notes.get(first.line, "") + html
    return notes
