"""Pairs from Inductor's generated Triton, converted to need no part of Inductor.

offer ──▶ worker (sandbox): trace ▶ lower, with a described GPU
──▶ text of Inductor's module
──▶ writing: kernels, launcher, configuration, device functions
──▶ draft of a pair
"""
