"""Cutting of a test into inputs, reference and candidate."""
