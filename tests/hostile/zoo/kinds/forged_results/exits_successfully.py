"""The entry ends its process with exit code 0 before anything is compared."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="launcher", launcher=("exits_successfully_launcher",)),
        Variant(
            name="import",
            launcher=("exits_successfully_import",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
                caught_by={Check.CONTRACT, Check.OWN_TEST, Check.VALUES},
            ),
        ),
        Variant(
            name="atexit",
            how="The exit code of a failed run becomes 0.",
            edits=(WRITES_ZEROS,),
            launcher=("exits_successfully_atexit",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.NOT_TRITON},
                caught_by={Check.OWN_TEST, Check.VALUES},
            ),
        ),
        Variant(
            name="closed-files",
            how="All open files are closed first.",
            launcher=("exits_successfully_closed_files",),
        ),
    ),
)
