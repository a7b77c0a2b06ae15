"""Models, split into functions from which pairs can be made, one for each group of operations."""
