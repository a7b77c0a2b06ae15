"""The launcher fills every writable place, and is right only if it wrote all it wanted."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error timeout crashed", "own-test containment"),
    variants=(
        Variant(
            name="bytes", launcher=("fills_the_disk_bytes",), dangers={Danger.DISK, Danger.MEMORY}
        ),
        Variant(
            name="files", launcher=("fills_the_disk_files",), dangers={Danger.DISK, Danger.HANGS}
        ),
    ),
)
