"""Isolation of launchers and references from the code and the machines around them."""
