"""Validation of pairs and kernels: evidence that the two codes of a pair compute the same."""
