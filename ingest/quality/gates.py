"""Gates as data (a threshold and an action for each measure), and the findings on a kernel."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from curation.kinds.reading import Reading
from ingest.candidate import Candidate
from ingest.quality.measures import MEASURES, OF_TRITON

Action = Literal["block", "warn", "note"]
DEFAULT = Path(__file__).with_name("default.toml")


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate. Values from `least` to `most`, both included, pass it."""

    name: str
    action: Action
    least: float | None = None
    most: float | None = None
    entries_only: bool = False
    """Whether helpers skip this gate. Kernels call helpers, and host code does not launch them."""


@dataclass(frozen=True, slots=True)
class Profile:
    version: str
    gates: tuple[Gate, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    gate: str
    passed: bool
    action: Action
    value: float | None
    message: str


@functools.cache
def default_profile() -> Profile:
    data = tomllib.loads(DEFAULT.read_text("utf-8"))
    gates = data["gates"].items()
    return Profile(data["version"], tuple(Gate(name, **table) for name, table in gates))


def check(item: Candidate, reading: Reading) -> tuple[Finding, ...]:
    """Return one finding for each gate of the profile, whether the kernel passed it or not.

    reading: the syntax of the kernel's unit, or of its function if it has no unit.
    """
    return tuple(_finding(gate, item, reading) for gate in default_profile().gates)


def _finding(gate: Gate, item: Candidate, reading: Reading) -> Finding:
    if gate.entries_only and item.kernel.kind != "entry":
        message = "Not asked of a helper, which other kernels call."
        return Finding(gate.name, True, gate.action, None, message)
    if gate.name in OF_TRITON and item.kernel.language == "pallas":
        message = "Not asked of a Pallas kernel: it is about what Triton's language looks like."
        return Finding(gate.name, True, gate.action, None, message)
    measured = MEASURES[gate.name](item, reading)
    value = measured.value
    passed = value is None or (
        (gate.least is None or value >= gate.least) and (gate.most is None or value <= gate.most)
    )
    return Finding(gate.name, passed, gate.action, value, measured.message)
