"""License statements of one text: tags, texts, notices, references, restrictions, holders.

They depend on the text alone, not on the policy or the repository, so they can be cached.
"""

import re
from dataclasses import replace

from ingest.licenses.blocks import BlockKind
from ingest.licenses.copyrights import copyrights
from ingest.licenses.detector import DetectionTookTooLong, LicenseDetector, Match
from ingest.licenses.expressions import both
from ingest.licenses.phrases import bare_names, restrictions
from ingest.licenses.pointers import origins, references
from ingest.licenses.records import Bearing, Copyright, Findings, ReadFrom, Statement
from ingest.licenses.tags import tags
from ingest.licenses.windows import SPEAKS_OF_LICENSES, Window, windows

# Lowest score of a certain match. Below it, texts are only similar: "BSD license found in the
# LICENSE file" matched BSD-3-Clause OR GPL-2.0 at 50.
CERTAIN = 80.0
# A shorter similar passage may match by chance, because prose about licenses has the same words.
FEWEST_WORDS_OF_A_LIKENESS = 8
_LONGEST_QUOTE = 4_000
_NEAR = 4
_LONGEST_POINTER = 60
_EXACT = " exact"
_FEW_WORDS = 30
_WORD = re.compile(r"\w+")
_FORMULA = re.compile(r"all\s+rights\s+reserved", re.IGNORECASE)

# Scancode's keys for a license that it can't identify.
_NAMELESS = {"unknown", "unknown-license-reference", "unknown-spdx", "free-unknown", "see-license"}
# Rules for texts that neither permit nor forbid use. `generic-cla` is about the ownership of
# contributions, as in the LICENSE files of Caffe and PyTorch.
_DISCLAIMERS = {"warranty-disclaimer", "generic-export-compliance", "generic-cla"}


def read_file(path: str, text: str, detector: LicenseDetector) -> Findings:
    """Return the findings in the comments, docstrings and long string constants of a file."""
    statements: list[Statement] = []
    holders: list[Copyright] = []
    found_windows, remarks = windows(path, text)
    for window in found_windows:
        statements_here = read_window(window, detector)
        if window.kind is BlockKind.CONSTANT:
            statements_here = [_embedded(s) for s in statements_here if s.expression]
        else:
            holders.extend(copyrights(window.lines, window.start_line))
        statements.extend(statements_here)
    statements.sort(key=lambda s: (s.start_line, s.end_line))
    return Findings(tuple(statements), tuple(dict.fromkeys(holders)), remarks)


def read_window(window: Window, detector: LicenseDetector) -> list[Statement]:
    """Return all statements of one window."""
    notes = origins(window)
    if not window.speaks_of_licenses:
        return notes
    tagged, tag_lines = tags(window)
    pointers = references(window)
    statements = _detected(window, tag_lines, pointers, detector)
    explained = {
        line
        for s in [*tagged, *(f for f in statements if f.bearing is Bearing.GRANT)]
        for line in range(s.start_line, s.end_line + 1)
    }
    statements += bare_names(window, explained)
    statements = [_from_origin(statement, notes) for statement in statements]
    exactly = [s for s in statements if s.detector.endswith(_EXACT)]
    limits = [r for r in restrictions(window) if not _within(r, exactly)]
    return [*tagged, *statements, *limits, *pointers, *notes]


def _detected(
    window: Window, tag_lines: set[int], pointers: list[Statement], detector: LicenseDetector
) -> list[Statement]:
    lines = ["" if place in tag_lines else line for place, line in enumerate(window.lines)]
    if not _speaks(lines):
        return []
    try:
        matches = _matches("\n".join(lines), detector)
    except DetectionTookTooLong as error:
        last = window.start_line + len(window.lines) - 1
        doubt = (window.read_from, Bearing.DOUBT, None, window.start_line, last, "", 0.0)
        return [Statement(*doubt, detector.name[:100], remark=str(error))]
    certain = [m for m in matches if m.score >= CERTAIN and not _nameless(m)]
    statements = []
    for match in matches:
        if match.rule_key in _DISCLAIMERS or _superfluous(match, certain):
            continue
        first = window.start_line + match.start_line - 1
        last = window.start_line + match.end_line - 1
        pointers_here = [p for p in pointers if p.start_line <= last and first <= p.end_line]
        if pointers_here and match.kind != "text" and match.words <= _LONGEST_POINTER:
            # In "the BSD license in the LICENSE file", only the file shows which BSD license it is.
            if match in certain:
                pointers[pointers.index(pointers_here[0])] = replace(
                    pointers_here[0],
                    expression=both(filter(None, (pointers_here[0].expression, match.expression))),
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
        statements.append(_statement(window, match, detector, bearing))
    return statements


def _matches(text: str, detector: LicenseDetector) -> list[Match]:
    """Match exact rules first (1 ms). Match similar ones only if other lines mention licenses."""
    exact = detector.match(text, approximate=False)
    covered = {
        line for m in exact if m.coverage == 100 for line in range(m.start_line, m.end_line + 1)
    }
    uncovered = [line for n, line in enumerate(text.split("\n"), start=1) if n not in covered]
    # BSD-3-Clause contains all of BSD-2-Clause. So exact rules suffice only if few words are left.
    words = sum(len(_WORD.findall(line)) for line in uncovered if "opyright" not in line)
    if exact and words <= _FEW_WORDS and not _speaks(uncovered):
        return exact
    # The detector may return a longer rule that is only similar, instead of a shorter exact one.
    matches = detector.match(text)
    return [m if m.score >= CERTAIN else _surer(m, exact) for m in matches]


def _surer(match: Match, exact: list[Match]) -> Match:
    for other in exact:
        inside = match.start_line <= other.start_line and other.end_line <= match.end_line
        if inside and other.expression == match.expression and other.score >= CERTAIN:
            return other
    return match


def _speaks(lines: list[str]) -> bool:
    """Return whether lines mention licenses. The formula "all rights reserved" does not count."""
    return any(SPEAKS_OF_LICENSES.search(_FORMULA.sub("", line)) for line in lines)


def _nameless(match: Match) -> bool:
    return match.rule_key in _NAMELESS


def _superfluous(match: Match, certain: list[Match]) -> bool:
    """Return whether an uncertain match is redundant, because it is in or near a certain match."""
    if match in certain:
        return False
    reach = _NEAR if _nameless(match) else 0
    return any(
        m.start_line - reach <= match.start_line and match.end_line <= m.end_line + reach
        for m in certain
    )


def _statement(
    window: Window, match: Match, detector: LicenseDetector, bearing: Bearing
) -> Statement:
    quotation = "\n".join(window.lines[match.start_line - 1 : match.end_line])
    remark = ""
    if bearing is Bearing.DOUBT:
        likeness = match.expression if not _nameless(match) else None
        remark = (
            f"It resembles {likeness} by {match.score:.0f}%, too little to rely on."
            if likeness
            else "It speaks of a license without naming one."
        )
    return Statement(
        read_from=window.read_from,
        bearing=bearing,
        expression=None if _nameless(match) else match.expression,
        start_line=window.start_line + match.start_line - 1,
        end_line=window.start_line + match.end_line - 1,
        matched_text=quotation[:_LONGEST_QUOTE],
        confidence=round(match.score / 100, 3),
        detector=f"{detector.name} {match.rule}"[:90] + (_EXACT if match.exact else ""),
        remark=remark,
    )


def _from_origin(statement: Statement, notes: list[Statement]) -> Statement:
    """Mark a license beside an "adapted from" note as the license of the adapted code."""
    for note in notes:
        if (
            statement.bearing is Bearing.GRANT
            and note.start_line - 1 <= statement.start_line
            and statement.end_line <= note.end_line + 2
        ):
            return replace(statement, read_from=ReadFrom.PROVENANCE, target=note.target)
    return statement


def _embedded(statement: Statement) -> Statement:
    """Mark a statement in a string constant, which may be a template or a kernel's header."""
    remark = "It stands in a string constant; a person should look."
    return replace(statement, bearing=Bearing.EMBEDDED, remark=remark)


def _within(restriction: Statement, exactly: list[Statement]) -> bool:
    """Return whether a restriction is part of a license that was matched word for word."""
    return any(
        s.start_line <= restriction.start_line and restriction.end_line <= s.end_line
        for s in exactly
    )
