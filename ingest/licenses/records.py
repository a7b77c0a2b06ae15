"""Values of the license stage: statements of a text, evidence, and the verdict on a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """Verdict on redistribution. Only `permissive` allows it."""

    PERMISSIVE = "permissive"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"


# A conflict means that one source forbids and another permits. It is stricter than unknown.
STRICTNESS = (Verdict.PERMISSIVE, Verdict.UNKNOWN, Verdict.CONFLICT, Verdict.BLOCKED)


def stricter(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the strictest verdict, or unknown if there are no verdicts."""
    return max(verdicts, key=STRICTNESS.index, default=Verdict.UNKNOWN)


class ReadFrom(StrEnum):
    """Kind of text in which a license was found, from the strongest evidence to the weakest."""

    SPDX_TAG = "spdx-tag"
    HEADER = "header"
    DOCSTRING = "docstring"
    PROVENANCE = "provenance"
    REFERENCE = "reference"
    NESTED = "nested"
    REPOSITORY = "repository"
    NOTICE = "notice"
    README = "readme"
    COPY = "copy"


ORDER = tuple(ReadFrom)


class Bearing(StrEnum):
    """Effect of a statement on the license of its file."""

    GRANT = "grant"  # it names the terms of the file
    DOUBT = "doubt"  # its terms can't be identified, so the file is never permissive
    REFERENCE = "reference"  # it refers to a LICENSE file
    EMBEDDED = "embedded"  # in a string constant: never permits, blocked terms count as unknown
    SHOWN = "shown"  # shown to reviewers, without any effect


@dataclass(frozen=True, slots=True)
class Statement:
    """License statement of one passage. It depends only on the text and not on the policy."""

    read_from: ReadFrom
    bearing: Bearing
    expression: str | None
    start_line: int
    end_line: int
    matched_text: str
    confidence: float
    detector: str
    remark: str = ""
    target: str = ""  # URL of a provenance note, or file that a reference names


@dataclass(frozen=True, slots=True)
class Copyright:
    """One copyright line, and the holder's name in it."""

    text: str
    holder: str
    line: int
    all_rights_reserved: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """License statements and copyright lines of one text. They depend on the text alone."""

    statements: tuple[Statement, ...] = ()
    copyrights: tuple[Copyright, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One license statement, with the path of its file and the policy's verdict."""

    read_from: ReadFrom
    expression: str | None
    verdict: Verdict
    path: str
    start_line: int
    end_line: int
    matched_text: str
    copyrights: tuple[str, ...]
    confidence: float
    detector: str
    counts: bool = True
    remark: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class Assessment:
    """Verdict on one file, or on a unit with code of several files, with its evidence."""

    path: str
    expression: str | None
    verdict: Verdict
    inherited: bool
    reason: str
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    copyrights: tuple[str, ...]
