"""What rules say of a kernel by its text alone: its kind, and a finding for each quality gate."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from ingest.candidate import Candidate
from ingest.classify import Classification, read
from ingest.classify.classification import classification
from ingest.quality import Finding, KernelFacts, check, default_profile


@dataclass(frozen=True, slots=True)
class Evidence:
    kind: Classification
    findings: tuple[Finding, ...]
    profile: str


def evidence(item: Candidate) -> Evidence:
    """One look at the syntax tree serves the kind and the gates."""
    kernel, unit = item.kernel, item.unit
    launchers = " ".join(launcher.qualname for launcher in kernel.launchers)
    place = f"{PurePosixPath(kernel.path).stem} {launchers}"
    reading = read(kernel.name, unit.source or kernel.source, place)
    profile = default_profile()
    facts = KernelFacts(
        name=kernel.name,
        path=kernel.path,
        function_source=kernel.source,
        standalone_source=unit.source,
        standalone=unit.standalone,
        standalone_reasons=unit.reasons,
        launcher_source=unit.launcher_source,
        kind=kernel.kind,
        tokens=item.tokens,
    )
    return Evidence(classification(reading), check(facts, profile, reading), profile.version)
