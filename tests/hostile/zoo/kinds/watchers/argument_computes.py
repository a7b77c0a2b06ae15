"""The launcher gives Triton an object that computes with torch when Triton looks at it."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="integer", launcher=("argument_computes_integer",)),
        Variant(name="like-a-tensor", launcher=("argument_computes_like_a_tensor",)),
    ),
)
