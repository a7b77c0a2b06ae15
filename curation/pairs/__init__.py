"""Pairs come into the database here, wherever they come from."""
