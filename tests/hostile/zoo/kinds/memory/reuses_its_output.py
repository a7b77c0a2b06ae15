"""The launcher writes every answer of a size into the same memory, so a call changes the last
result.
"""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed not_triton", "values memory repeatability"),
    variants=(Variant(name="by-size", launcher=("reuses_its_output",)),),
)
