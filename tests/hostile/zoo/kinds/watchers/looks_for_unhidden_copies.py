"""The launcher looks for a copy of the inputs that the harness forgot to hide."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.CRASHED,
            Verdict.NOT_TRITON,
            Verdict.MIXED,
        },
        caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="out-argument", launcher=("looks_for_unhidden_copies_out_argument",)),
        Variant(name="storage-size", launcher=("looks_for_unhidden_copies_storage_size",)),
    ),
)
