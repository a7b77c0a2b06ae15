"""Quality gates of kernels: gates are data, findings are sentences."""

from ingest.quality.gates import Finding, Gate, Profile, check, default_profile
