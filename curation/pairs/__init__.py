"""Pairs: creation, storage and descriptions, for pairs of all sources."""
