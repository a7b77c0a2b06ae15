"""What one text says about licences: tags, texts, notices, pointers, restrictions, holders.

Facts only: no policy, no repository around it. They depend on the text alone and can be kept.
"""

import re
from dataclasses import replace

from ingest.licenses.blocks import BlockKind
from ingest.licenses.copyrights import copyrights
from ingest.licenses.detector import DetectionTookTooLong, LicenceDetector, Match
from ingest.licenses.expressions import both
from ingest.licenses.names import bare_names
from ingest.licenses.pointers import origins, references
from ingest.licenses.records import Bearing, Copyright, Findings, ReadFrom, Statement
from ingest.licenses.restrictions import restrictions
from ingest.licenses.tags import tags
from ingest.licenses.windows import SPEAKS_OF_LICENCES, Window, windows

# Below this a match is a likeness: "BSD license found in the LICENSE file" once read, at 50,
# as BSD-3-Clause OR GPL-2.0.
CERTAIN = 80.0
# A likeness of fewer words is chance: prose about licences shares them with many rules.
FEWEST_WORDS_OF_A_LIKENESS = 8
_LONGEST_QUOTE = 4_000
_NEAR = 4
_LONGEST_POINTER = 60
_EXACT = " exact"
_FEW_WORDS = 30
_WORD = re.compile(r"\w+")
_FORMULA = re.compile(r"all\s+rights\s+reserved", re.IGNORECASE)

_READ_FROM = {
    BlockKind.COMMENT: ReadFrom.HEADER,
    BlockKind.DOCSTRING: ReadFrom.DOCSTRING,
    BlockKind.CONSTANT: ReadFrom.DOCSTRING,
    BlockKind.TEXT: ReadFrom.HEADER,
}
# Scancode's keys for "some licence, nobody knows which".
_NAMELESS = {"unknown", "unknown-license-reference", "unknown-spdx", "free-unknown", "see-license"}
# Texts that neither permit nor forbid: the last is about who owns what was contributed, as Caffe's
# LICENSE says, and with it PyTorch's.
_DISCLAIMERS = {"warranty-disclaimer", "generic-export-compliance", "generic-cla"}


def read_file(path: str, text: str, detector: LicenceDetector) -> Findings:
    """What the comments, docstrings and long string constants of a file say."""
    statements: list[Statement] = []
    holders: list[Copyright] = []
    found, remarks = windows(path, text)
    for window in found:
        said = read_window(window, detector)
        if window.kind is BlockKind.CONSTANT:
            said = [_embedded(s) for s in said if s.expression]
        else:
            holders.extend(copyrights(window.lines, window.start_line))
        statements.extend(said)
    statements.sort(key=lambda s: (s.start_line, s.end_line))
    return Findings(tuple(statements), tuple(dict.fromkeys(holders)), remarks)


def read_window(window: Window, detector: LicenceDetector) -> list[Statement]:
    """All statements of one window."""
    read_from = _READ_FROM[window.kind]
    notes = origins(window)
    if not window.speaks_of_licences:
        return notes
    tagged, taken = tags(window)
    pointers = references(window)
    found = _detected(window, taken, pointers, detector, read_from)
    explained = {
        line
        for s in [*tagged, *(f for f in found if f.bearing is Bearing.GRANT)]
        for line in range(s.start_line, s.end_line + 1)
    }
    found += bare_names(window, explained, read_from)
    found = [_from_origin(statement, notes) for statement in found]
    exactly = [s for s in found if s.detector.endswith(_EXACT)]
    limits = [r for r in restrictions(window, read_from) if not _within(r, exactly)]
    return [*tagged, *found, *limits, *pointers, *notes]


def _detected(
    window: Window,
    taken: set[int],
    pointers: list[Statement],
    detector: LicenceDetector,
    read_from: ReadFrom,
) -> list[Statement]:
    lines = ["" if place in taken else line for place, line in enumerate(window.lines)]
    if not _speaks(lines):
        return []
    try:
        matches = _matches("\n".join(lines), detector)
    except DetectionTookTooLong as error:
        return [_too_long(window, detector, read_from, str(error))]
    certain = [m for m in matches if m.score >= CERTAIN and not _nameless(m)]
    statements = []
    for match in matches:
        if match.rule_key in _DISCLAIMERS or _superfluous(match, certain):
            continue
        first = window.start_line + match.start_line - 1
        last = window.start_line + match.end_line - 1
        pointed = [p for p in pointers if p.start_line <= last and first <= p.end_line]
        if pointed and match.kind != "text" and match.words <= _LONGEST_POINTER:
            # The sentence names a family and leaves the terms to the file: that file decides.
            if match in certain:
                pointers[pointers.index(pointed[0])] = replace(
                    pointed[0],
                    expression=both(filter(None, (pointed[0].expression, match.expression))),
                    confidence=round(match.score / 100, 3),
                    detector=f"{detector.name} {match.rule}"[:100],
                )
            continue
        if match.kind in {"intro", "clue"} and not _nameless(match):
            continue
        if match in certain:
            bearing = Bearing.GRANT
        elif _nameless(match) or match.words >= FEWEST_WORDS_OF_A_LIKENESS:
            bearing = Bearing.DOUBT
        else:
            continue
        statements.append(_statement(window, match, detector, read_from, bearing))
    return statements


def _matches(text: str, detector: LicenceDetector) -> list[Match]:
    """Exact rules first (a millisecond); likenesses only when licence words are left over."""
    exact = detector.match(text, approximate=False)
    covered = {
        line for m in exact if m.coverage == 100 for line in range(m.start_line, m.end_line + 1)
    }
    left = [line for n, line in enumerate(text.split("\n"), start=1) if n not in covered]
    # BSD-3-Clause contains all of BSD-2-Clause: an exact part is the whole only if little is left.
    words = sum(len(_WORD.findall(line)) for line in left if "opyright" not in line)
    if exact and words <= _FEW_WORDS and not _speaks(left):
        return exact
    # A longer rule may win with a weak likeness over a short one that matched word for word.
    found = detector.match(text)
    return [m if m.score >= CERTAIN else _surer(m, exact) for m in found]


def _surer(match: Match, exact: list[Match]) -> Match:
    for other in exact:
        inside = match.start_line <= other.start_line and other.end_line <= match.end_line
        if inside and other.expression == match.expression and other.score >= CERTAIN:
            return other
    return match


def _speaks(lines: list[str]) -> bool:
    """Whether more than the formula "all rights reserved" speaks of licences."""
    return any(SPEAKS_OF_LICENCES.search(_FORMULA.sub("", line)) for line in lines)


def _nameless(match: Match) -> bool:
    return match.rule_key in _NAMELESS


def _superfluous(match: Match, certain: list[Match]) -> bool:
    """An introduction ("licensed under the following terms") belongs to what it introduces, and
    a likeness to the licence that was found in the same lines.
    """
    if match in certain:
        return False
    reach = _NEAR if _nameless(match) else 0
    return any(
        m.start_line - reach <= match.start_line and match.end_line <= m.end_line + reach
        for m in certain
    )


def _statement(
    window: Window,
    match: Match,
    detector: LicenceDetector,
    read_from: ReadFrom,
    bearing: Bearing,
) -> Statement:
    quoted = "\n".join(window.lines[match.start_line - 1 : match.end_line])
    remark = ""
    if bearing is Bearing.DOUBT:
        likeness = match.expression if not _nameless(match) else None
        remark = (
            f"It resembles {likeness} by {match.score:.0f}%, too little to rely on."
            if likeness
            else "It speaks of a licence without naming one."
        )
    return Statement(
        read_from=read_from,
        bearing=bearing,
        expression=None if _nameless(match) else match.expression,
        start_line=window.start_line + match.start_line - 1,
        end_line=window.start_line + match.end_line - 1,
        matched_text=quoted[:_LONGEST_QUOTE],
        confidence=round(match.score / 100, 3),
        detector=f"{detector.name} {match.rule}"[:90] + (_EXACT if match.exact else ""),
        remark=remark,
    )


def _from_origin(statement: Statement, notes: list[Statement]) -> Statement:
    """A licence named beside an "adapted from" note is the licence of what was adapted."""
    for note in notes:
        if (
            statement.bearing is Bearing.GRANT
            and note.start_line - 1 <= statement.start_line
            and statement.end_line <= note.end_line + 2
        ):
            return replace(statement, read_from=ReadFrom.PROVENANCE, target=note.target)
    return statement


def _embedded(statement: Statement) -> Statement:
    """A string constant may be a generator's template, or a kernel's source with its header."""
    remark = "It stands in a string constant; a person should look."
    return replace(statement, bearing=Bearing.EMBEDDED, remark=remark)


def _within(restriction: Statement, exactly: list[Statement]) -> bool:
    """A sentence of a licence that was recognised word for word is no addition to it."""
    return any(
        s.start_line <= restriction.start_line and restriction.end_line <= s.end_line
        for s in exactly
    )


def _too_long(
    window: Window, detector: LicenceDetector, read_from: ReadFrom, reason: str
) -> Statement:
    return Statement(
        read_from=read_from,
        bearing=Bearing.DOUBT,
        expression=None,
        start_line=window.start_line,
        end_line=window.start_line + len(window.lines) - 1,
        matched_text="",
        confidence=0.0,
        detector=detector.name[:100],
        remark=reason,
    )
