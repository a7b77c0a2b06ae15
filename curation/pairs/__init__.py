"""Pairs: creation, storage and descriptions, whatever the pairs come from."""
