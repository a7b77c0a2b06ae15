"""The launcher is right only if it finds secrets or files of other entries."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(
        Variant(name="secrets", launcher=("reads_what_is_not_its_own_secrets",)),
        Variant(name="other-entries", launcher=("reads_what_is_not_its_own_other_entries",)),
    ),
)
