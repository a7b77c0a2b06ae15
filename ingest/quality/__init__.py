"""Quality gates: what a kernel must, should and may be; gates are data, findings sentences."""

from ingest.quality.facts import KernelFacts
from ingest.quality.findings import Finding, check
from ingest.quality.profile import Gate, Profile, default_profile, load_profile

__all__ = ["Finding", "Gate", "KernelFacts", "Profile", "check", "default_profile", "load_profile"]
