"""Runs code that nobody trusts. Knows no Django."""
