"""A hook of the kernel computes with torch before the launch."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(Variant(name="pre-run", launcher=("kernel_hook_computes",)),),
)
