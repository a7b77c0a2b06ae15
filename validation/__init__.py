"""Validation of pairs and kernels: evidence that the Triton computes what the PyTorch computes."""
