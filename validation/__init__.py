"""Validation of pairs and kernels: evidence that both sides of a pair compute the same."""
