"""The launcher returns an object that answers every comparison with yes."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON}, caught_by={Check.VALUES}
    ),
    variants=(
        Variant(name="object", launcher=("answer_that_agrees_object",)),
        Variant(name="tensor-subclass", launcher=("answer_that_agrees_tensor_subclass",)),
    ),
)
