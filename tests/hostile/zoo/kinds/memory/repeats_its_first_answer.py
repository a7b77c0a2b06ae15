"""The launcher keeps its first answers, and returns them for later inputs of another content."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "variations memory repeatability"),
    variants=(
        Variant(name="by-size", launcher=("repeats_its_first_answer",), words={"KEY": "x.numel()"}),
        Variant(
            name="by-address", launcher=("repeats_its_first_answer",), words={"KEY": "x.data_ptr()"}
        ),
    ),
)
