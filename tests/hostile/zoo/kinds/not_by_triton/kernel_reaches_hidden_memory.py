"""A kernel copies the inputs by an address or an offset into memory where torch or NumPy adds."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.KERNEL_MATTERS, Check.BOUNDS},
    ),
    variants=(
        Variant(
            name="address",
            launcher=("kernel_reaches_hidden_memory_address",),
            # A GPU may not map that address.
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON, Verdict.CRASHED},
                caught_by={Check.KERNEL_MATTERS, Check.BOUNDS, Check.CONTAINMENT},
            ),
        ),
        Variant(
            name="offset",
            launcher=("kernel_reaches_hidden_memory_offset",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON},
                caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.BOUNDS},
            ),
        ),
    ),
)
