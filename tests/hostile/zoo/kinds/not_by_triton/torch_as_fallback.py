"""The launcher launches its kernel wrongly, catches the error and lets torch compute."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(Variant(name="wrong-arguments", launcher=("torch_as_fallback",)),),
)
