"""The launcher runs its kernel on two ones, and uses torch only if that gives two."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="Kernels do not run while a launcher is recorded.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS},
    ),
    variants=(Variant(name="ones", launcher=("tells_trial_runs_apart",)),),
)
