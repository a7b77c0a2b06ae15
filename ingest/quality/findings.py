"""Findings of each gate of a profile about a kernel."""

from __future__ import annotations

from dataclasses import dataclass

from curation.kinds.reading import Reading, read
from ingest.quality.facts import KernelFacts
from ingest.quality.measures import MEASURES, OF_TRITON, Measured
from ingest.quality.profile import Action, Gate, Profile, default_profile


@dataclass(frozen=True, slots=True)
class Finding:
    gate: str
    passed: bool
    action: Action
    value: float | None
    message: str


def check(
    facts: KernelFacts, profile: Profile | None = None, reading: Reading | None = None
) -> tuple[Finding, ...]:
    """Return one finding for each gate of the profile, passed or not."""
    profile = profile or default_profile()
    reading = reading or read(facts.name, facts.standalone_source or facts.function_source)
    return tuple(_finding(gate, facts, reading) for gate in profile.gates)


def blocks(findings: tuple[Finding, ...]) -> bool:
    return any(finding.action == "block" and not finding.passed for finding in findings)


def _finding(gate: Gate, facts: KernelFacts, reading: Reading) -> Finding:
    if gate.entries_only and facts.kind != "entry":
        message = "Not asked of a helper, which other kernels call."
        return Finding(gate.name, True, gate.action, None, message)
    if gate.name in OF_TRITON and facts.language == "pallas":
        message = "Not asked of a Pallas kernel: it is about what Triton's language looks like."
        return Finding(gate.name, True, gate.action, None, message)
    measured = MEASURES[gate.name](facts, reading)
    return Finding(
        gate.name, _passes(gate, measured), gate.action, measured.value, measured.message
    )


def _passes(gate: Gate, measured: Measured) -> bool:
    value = measured.value
    if value is None:
        return True
    return (gate.least is None or value >= gate.least) and (gate.most is None or value <= gate.most)
