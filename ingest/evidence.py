"""Evidence from the text of a kernel: kind, hardware, lowest Triton release, quality findings."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from curation.pairs.min_triton import min_triton
from ingest.candidate import Candidate
from ingest.classify import Classification, hardware_of_text, read
from ingest.classify.classification import classification
from ingest.quality import Finding, check, default_profile


@dataclass(frozen=True, slots=True)
class Evidence:
    kind: Classification
    findings: tuple[Finding, ...]
    profile: str
    hardware: str
    """The hardware that the text names, or "". If it is "", the kernel's paths decide."""
    min_triton: str


def evidence(item: Candidate) -> Evidence:
    """Gather the evidence. The classifier and the gates share one syntax tree."""
    kernel, unit = item.kernel, item.unit
    text = unit.source or kernel.source
    launchers = " ".join(launcher.qualname for launcher in kernel.launchers)
    place = f"{PurePosixPath(kernel.path).stem} {launchers}"
    reading = read(kernel.name, text, place)
    return Evidence(
        kind=classification(reading),
        findings=check(item, reading),
        profile=default_profile().version,
        hardware=hardware_of_text(text),
        min_triton=min_triton(text),
    )
