"""The launcher overwrites its test on disk with one that passes, and writes zeros."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(Variant(name="appended", edits=(WRITES_ZEROS,), launcher=("rewrites_its_test",)),),
)
