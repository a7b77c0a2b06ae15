"""Pairs and kernels in, evidence out: does the Triton compute what the PyTorch computes?"""
