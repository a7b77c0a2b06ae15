"""The launcher returns an answer that no memory can hold."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.CONTAINMENT},
    ),
    variants=(
        Variant(
            name="tebibyte-view", launcher=("huge_answer_tebibyte_view",), dangers={Danger.MEMORY}
        ),
        Variant(
            name="recursive-list",
            launcher=("huge_answer_recursive_list",),
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
                caught_by={Check.VALUES},
            ),
        ),
    ),
)
