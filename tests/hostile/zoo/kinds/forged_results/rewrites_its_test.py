"""The launcher overwrites its test on disk with one that passes, and writes zeros."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed error not_triton", "own-test values containment"),
    variants=(Variant(name="appended", edits=(WRITES_ZEROS,), launcher=("rewrites_its_test",)),),
)
