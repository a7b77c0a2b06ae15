"""Python or NumPy computes the answer on the host."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(
            name="list",
            launcher=("host_computes_list",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON}, caught_by={Check.KERNEL_MATTERS}
            ),
        ),
        Variant(name="numpy", launcher=("host_computes_numpy",)),
        Variant(name="ctypes", launcher=("host_computes_ctypes",)),
        Variant(
            name="numbers-one-by-one",
            launcher=("host_computes_numbers",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
            ),
        ),
    ),
)
