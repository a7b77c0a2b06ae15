"""The grid is a function or an object that computes with torch during the launch."""

from tests.hostile.zoo.catalog import Check, Kind, Needs, Outcome, Variant, Verdict

KIND = Kind(
    harmless_because="The true inputs are in the replayer, which does not run the launcher.",
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.CONTRACT, Check.VALUES, Check.KERNEL_MATTERS, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="function", launcher=("grid_computes_function",)),
        Variant(name="replaces-an-argument", launcher=("grid_computes_replaces_an_argument",)),
        Variant(
            name="attribute-of-an-argument",
            launcher=("grid_computes_attribute_of_an_argument",),
            needs=Needs.INTERPRETER,
            needs_because="On a GPU a grid is asked with plain numbers.",
        ),
    ),
)
