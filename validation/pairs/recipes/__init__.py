"""Recipes for generated pairs. They do not import Django."""
