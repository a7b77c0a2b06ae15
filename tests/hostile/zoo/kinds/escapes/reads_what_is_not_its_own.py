"""The launcher is right only if it finds secrets or files of other entries."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="secrets", launcher=("reads_what_is_not_its_own_secrets",)),
        Variant(name="other-entries", launcher=("reads_what_is_not_its_own_other_entries",)),
    ),
)
