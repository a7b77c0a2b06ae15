"""Recipes of generated pairs. They do not import Django."""
