"""Releases: stored snapshots that can be rebuilt, their later changes, and their upload."""
