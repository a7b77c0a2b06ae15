"""What the gates are given: a kernel as it came out of the extraction, and its count of tokens."""

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
