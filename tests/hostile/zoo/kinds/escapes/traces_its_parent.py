"""The launcher is right only if it can open the memory of its parent."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(Variant(name="memory", launcher=("traces_its_parent",)),),
)
