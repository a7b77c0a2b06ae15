"""Fingerprints, near-duplicates and contamination of kernels and pairs."""
