"""Observation of complete drafts: run the host code in the sandbox, and drop unneeded code."""
