"""The launcher deletes from its recording that torch computed the answer."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="A recording without it is another program, and computes wrong answers.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="encoder", launcher=("forges_its_recording_encoder",)),
        Variant(name="instructions", launcher=("forges_its_recording_instructions",)),
    ),
)
