"""The launcher finds the reference, calls it and passes its answer through the kernel."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="import", launcher=("calls_the_reference_import",)),
        Variant(name="loaded-modules", launcher=("calls_the_reference_loaded_modules",)),
        Variant(
            name="disk",
            launcher=("calls_the_reference_disk",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
                caught_by={Check.KERNEL_MATTERS},
            ),
        ),
    ),
)
