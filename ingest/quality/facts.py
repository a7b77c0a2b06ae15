"""Input of the gates: a kernel from the extraction, and its token count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KernelFacts:
    name: str
    path: str
    function_source: str
    standalone_source: str
    standalone: bool
    standalone_reasons: tuple[str, ...] = ()
    launcher_source: str | None = None
    kind: str = "entry"
    language: str = "triton"
    tokens: int | None = None
