"""Releases: stored snapshots of a dataset, differences between releases, and the upload."""
