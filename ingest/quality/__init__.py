"""Quality gates of kernels: gates are data, findings are sentences."""

from ingest.quality.facts import KernelFacts
from ingest.quality.findings import Finding, check
from ingest.quality.profile import Gate, Profile, default_profile, load_profile

__all__ = ["Finding", "Gate", "KernelFacts", "Profile", "check", "default_profile", "load_profile"]
