"""Validation has no pages in the admin."""
