"""Pairs by source: a handwritten library, recipes, Inductor, and records of other datasets."""
