"""The launcher fills every writable place, and is right only if it wrote all it wanted."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="bytes", launcher=("fills_the_disk_bytes",), dangers={Danger.DISK, Danger.MEMORY}
        ),
        Variant(
            name="files", launcher=("fills_the_disk_files",), dangers={Danger.DISK, Danger.HANGS}
        ),
    ),
)
