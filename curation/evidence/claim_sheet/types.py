"""Claims, and the facts that they are made from, as plain values."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class ClaimState(StrEnum):
    """State of a claim, the worst first."""

    WRONG = "wrong"
    OPEN = "not shown"
    SHOWN = "shown"


WRONG, OPEN, SHOWN = ClaimState
# Topics of claims, in the order of the sheet. A decision stores the topics of the open claims.
TOPICS = (
    "opt-out", "characters", "license", "complete", "compiles", "answers", "device", "sizes",
    "values", "special values", "arguments", "computed by", "launches", "memory", "test",
    "near-duplicates", "benchmarks", "quality",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class EvidenceClaim:
    """One sentence of the sheet. It is about the lines `lines` of the text in `column`."""

    topic: str
    state: ClaimState
    text: str
    column: str = ""
    lines: tuple[int, ...] = ()

    @property
    def is_open(self) -> bool:
        return self.state is not SHOWN


def wrong(topic: str, text: str) -> EvidenceClaim:
    return EvidenceClaim(topic, WRONG, text)


def not_shown(
    topic: str, text: str, column: str = "", lines: tuple[int, ...] = ()
) -> EvidenceClaim:
    return EvidenceClaim(topic, OPEN, text, column, lines)


def shown(topic: str, text: str, column: str = "", lines: tuple[int, ...] = ()) -> EvidenceClaim:
    return EvidenceClaim(topic, SHOWN, text, column, lines)


@dataclass(frozen=True, slots=True)
class Validation:
    """The newest validation of an item's current content on one device."""

    device: str
    verdict: str
    message: str = ""
    environment: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)
    checks: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Figures of the checks that passed, by name."""

    @property
    def grades(self) -> Mapping[str, Any]:
        return self.figures.get("grades") or {}


@dataclass(frozen=True, slots=True)
class ClaimFacts:
    """Evidence on one item, as plain values."""

    license: str
    license_verdict: str
    opted_out: bool = False
    blocked_copy: str = ""
    hidden_characters: str = ""
    """Invisible characters: `code` if they can deceive, `prose` if they are only in comments."""
    text: str = ""
    column: str = ""
    placed: bool | None = None
    represented_by: str = ""
    similarity: float = 0.0
    near_duplicates: int = 0
    benchmark: str = ""
    compared_with: str | None = None
    validations: tuple[Validation, ...] = ()
    """The newest validation on each device: a GPU, the interpreter, or the compiler."""


@dataclass(frozen=True, slots=True)
class KernelFacts(ClaimFacts):
    standalone: bool = True
    helpers: int | None = None
    findings: tuple[tuple[str, bool], ...] | None = None
    """Failed gates, and whether each gate blocks an approval. None if the gates did not run."""
    pairs: Mapping[str, bool] = field(default_factory=dict)
    """Pairs drafted from the kernel, and whether each has passed a validation."""


@dataclass(frozen=True, slots=True)
class PairFacts(ClaimFacts):
    origin: str = "default"
