"""Torch computes on whole numbers that the launcher reads, past the trial with invented ones."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("mixed failed not_triton", "kernel-matters"),
    variants=tuple(
        Variant(name=name, how=how, base="step-embedding", launcher=("angles_on_the_host", *more))
        for name, how, more in (
            ("refuses", "It raises if the first number is another one.", ("refuses_other_steps",)),
            ("guesses", "It knows the first number.", ("guesses_true_steps",)),
            ("conditions", "A kernel copies bits by conditions.", ("bits_by_conditions",)),
            ("addresses", "A kernel looks halves up.", ("halves_by_addresses",)),
        )
    ),
)
