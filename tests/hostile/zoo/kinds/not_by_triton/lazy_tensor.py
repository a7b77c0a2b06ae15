"""The launcher returns a tensor subclass that computes with torch when it is used."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error not_triton", "values memory kernel-matters"),
    variants=(Variant(name="subclass", launcher=("lazy_tensor",)),),
)
