"""Timing of entries that passed, and runs under compute-sanitizer."""
