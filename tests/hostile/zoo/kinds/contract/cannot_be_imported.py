"""The module triton_code cannot be imported."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR}, caught_by={Check.CONTRACT, Check.OWN_TEST}
    ),
    variants=(
        Variant(
            name="syntax-error",
            edits=(Edit("triton_code", "def vector_add(x, y):", "def vector_add(x, y:"),),
        ),
        Variant(
            name="missing-package",
            launcher=("cannot_be_imported_missing_package",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.UNSUPPORTED},
                caught_by={Check.CONTRACT, Check.OWN_TEST},
            ),
        ),
    ),
)
