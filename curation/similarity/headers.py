"""Annotations in function headers, as words: `: annotation` of parameters, `-> annotation`."""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

HEADER_LIMIT = 2000

# First bytes of a header's operators. Headers with inner brackets, which are rare, don't match.
_HEADER = re.compile(rb"\(([^()\[\]{}]*)\)(?:(->[^()\[\]{}:]*):)?")
_ANNOTATION = re.compile(rb":[^,=]*")
_EQUALS, _COMMA, _COLON = b"=,:"
_STEPS = np.zeros(256, np.int32)
_STEPS[[*b"([{"]] = 1
_STEPS[[*b")]}"]] = -1


def annotated_words(definitions: NDArray[np.int64], kinds: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Mark the words of annotations.

    `kinds` is the first byte of each operator, or zero for a word.
    """
    dropped = np.zeros(len(kinds), np.bool_)
    marks = kinds.tobytes()
    for start in (definitions + 2).tolist():
        header = _HEADER.match(marks, start, start + HEADER_LIMIT)
        if header is None or _returns_more(header, marks):
            _drop_annotations(kinds[start : start + HEADER_LIMIT], dropped[start:])
            continue
        for found in _ANNOTATION.finditer(marks, *header.span(1)):
            dropped[found.start() : found.end()] = True
        if header[2]:
            dropped[header.start(2) : header.end(2)] = True
    return dropped


def _returns_more(header: re.Match[bytes], marks: bytes) -> bool:
    """Return True if an arrow follows whose annotation the pattern did not match to its end."""
    return not header[2] and marks.startswith(b"->", header.end())


def _drop_annotations(marks: NDArray[np.uint8], dropped: NDArray[np.bool_]) -> None:
    """Mark the annotations of one header in any form."""
    if not len(marks) or marks[0] != ord("("):
        return
    inside = np.cumsum(_STEPS[marks])
    outside = np.flatnonzero(inside < inside[0])
    if not len(outside):
        return
    end = outside[0]
    dropped[:end] |= _annotated(marks[:end], inside[:end] == inside[0])
    if bytes(marks[end + 1 : end + 3]) == b"->":
        colons = np.flatnonzero((marks == _COLON) & (inside < inside[0]))
        if len(colons):
            dropped[end + 1 : colons[0]] = True


def _annotated(marks: NDArray[np.uint8], at_level: NDArray[np.bool_]) -> NDArray[np.bool_]:
    turns = at_level & ((marks == _COLON) | (marks == _COMMA) | (marks == _EQUALS))
    places = np.where(turns, np.arange(len(marks)), 0)
    last = marks[np.maximum.accumulate(places)]
    annotated: NDArray[np.bool_] = last == _COLON
    return annotated
