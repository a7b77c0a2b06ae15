"""Inductor's Triton as plain pairs.

offer ──▶ worker (sandbox): trace ▶ lower, with a described GPU
──▶ text of Inductor's module
──▶ writing: kernels, launcher, configuration, device functions
──▶ draft of a pair
"""
