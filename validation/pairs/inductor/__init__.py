"""Pairs from Inductor's generated Triton, converted to need no part of Inductor.

models ──▶ whole: worker (sandbox): making ▶ graph ▶ spelling ▶ parts ──▶ offers
offer ──▶ worker (sandbox): lower, with a described GPU ──▶ text of Inductor's module
──▶ pair_texts: kernels, launcher, configuration, device functions ──▶ draft of a pair
"""


class Unwritable(Exception):
    """The code can't become a pair. The message is short, so that reasons can be counted."""
