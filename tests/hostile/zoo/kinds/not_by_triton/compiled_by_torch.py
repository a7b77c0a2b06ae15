"""A function that torch compiled computes the answer."""

from tests.hostile.zoo.catalog import Check, Kind, Needs, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON, Verdict.MIXED},
        caught_by={Check.KERNEL_MATTERS},
    ),
    variants=(
        Variant(name="torchscript", launcher=("compiled_by_torch_torchscript",)),
        Variant(
            name="inductor",
            launcher=("compiled_by_torch_inductor",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.KERNEL_MATTERS},
            ),
            needs=Needs.GPU,
            needs_because="Without a GPU torch.compile writes C++.",
        ),
    ),
)
