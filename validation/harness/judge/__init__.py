"""Verdicts from evidence: NumPy on bytes, in a process that never runs code of an entry."""
