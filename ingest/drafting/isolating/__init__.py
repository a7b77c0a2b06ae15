"""Isolation of launchers and references from the rest of the code and from the machine."""
