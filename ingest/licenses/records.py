"""The values of the licence stage: what a text states, the evidence, and the verdict on a file."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """May it be given away? Only `permissive` may."""

    PERMISSIVE = "permissive"
    BLOCKED = "blocked"
    UNKNOWN = "unknown"
    CONFLICT = "conflict"


# A conflict is stricter than a doubt: somebody has said no, and somebody else yes.
STRICTNESS = (Verdict.PERMISSIVE, Verdict.UNKNOWN, Verdict.CONFLICT, Verdict.BLOCKED)


def stricter(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest of them; of none, unknown: silence permits nothing."""
    return max(verdicts, key=STRICTNESS.index, default=Verdict.UNKNOWN)


class ReadFrom(StrEnum):
    """Where a licence was read, strongest first."""

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
    """What a statement does to its file."""

    GRANT = "grant"  # it names the terms
    DOUBT = "doubt"  # it speaks of terms that can't be named with certainty: never permissive
    REFERENCE = "reference"  # it points to a LICENSE file
    EMBEDDED = "embedded"  # it stands in a string: it permits nothing, and a no is a doubt
    SHOWN = "shown"  # a reviewer should see it; it does not count


@dataclass(frozen=True, slots=True)
class Statement:
    """What one passage says about licences: a fact about the text, before any policy."""

    read_from: ReadFrom
    bearing: Bearing
    expression: str | None
    start_line: int
    end_line: int
    matched_text: str
    confidence: float
    detector: str
    remark: str = ""
    target: str = ""  # the URL of a provenance note, or the file that a reference names


@dataclass(frozen=True, slots=True)
class Copyright:
    """One copyright line, as it stands and as the name it ends in."""

    text: str
    holder: str
    line: int
    all_rights_reserved: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that one text says about licences; it depends on the text alone."""

    statements: tuple[Statement, ...] = ()
    copyrights: tuple[Copyright, ...] = ()
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One statement, where it stands, and what the policy says of it."""

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
    """The verdict on one file, or on a unit that draws from several, and all that it rests on."""

    path: str
    expression: str | None
    verdict: Verdict
    inherited: bool
    reason: str
    evidence: tuple[Evidence, ...]
    notes: tuple[str, ...]
    copyrights: tuple[str, ...]
    policy: str
