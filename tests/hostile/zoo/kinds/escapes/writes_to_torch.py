"""The entry is right only if it can write to the installation of torch or Triton."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "own-test containment"),
    variants=(Variant(name="version-files", launcher=("writes_to_torch",)),),
)
