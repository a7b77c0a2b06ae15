"""Observation of whole drafts: run the host code in the sandbox, and drop what no case needs."""
