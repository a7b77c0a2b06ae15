"""The launcher deletes from its recording that torch computed the answer."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    harmless_because="A recording without it is another program, and computes wrong answers.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(
        Variant(name="encoder", launcher=("forges_its_recording_encoder",)),
        Variant(name="instructions", launcher=("forges_its_recording_instructions",)),
    ),
)
