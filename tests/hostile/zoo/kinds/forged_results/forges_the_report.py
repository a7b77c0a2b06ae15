"""The launcher writes a verdict into every open file, every pipe and every JSON file around, and
exits.
"""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(Variant(name="all-files", launcher=("forges_the_report",)),),
)
