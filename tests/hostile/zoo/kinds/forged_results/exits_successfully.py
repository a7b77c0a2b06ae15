"""The entry ends its process with exit code 0 before anything is compared."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant
from tests.hostile.zoo.edits import WRITES_ZEROS

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(
        Variant(name="launcher", launcher=("exits_successfully_launcher",)),
        Variant(
            name="import",
            launcher=("exits_successfully_import",),
            outcome=Outcome("failed error crashed not_triton", "contract own-test values"),
        ),
        Variant(
            name="atexit",
            how="The exit code of a failed run becomes 0.",
            edits=(WRITES_ZEROS,),
            launcher=("exits_successfully_atexit",),
            outcome=Outcome("failed not_triton", "own-test values"),
        ),
        Variant(
            name="closed-files",
            how="All open files are closed first.",
            launcher=("exits_successfully_closed_files",),
        ),
    ),
)
