"""Classification features of kernels and pairs: calls, data flow, difficulty, operations."""
