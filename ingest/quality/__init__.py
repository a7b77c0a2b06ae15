"""Quality gates of kernels. Gates are data, and findings are sentences."""

from ingest.quality.gates import Finding, Gate, Profile, check, default_profile
