"""Fingerprints, near-duplicates and contamination, for kernels and pairs alike."""
