"""Cutting of a test into three parts: inputs, reference and candidate."""
