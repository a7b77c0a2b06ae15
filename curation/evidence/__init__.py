"""Evidence about items: fingerprints, near-duplicates, benchmark overlaps, licenses, counts."""
