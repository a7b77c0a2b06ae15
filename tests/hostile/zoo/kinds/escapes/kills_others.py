"""The launcher is right only if it can kill another process and survives that."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={
            Verdict.FAILED,
            Verdict.ERROR,
            Verdict.TIMEOUT,
            Verdict.CRASHED,
            Verdict.NOT_TRITON,
        },
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="parent", launcher=("kills_others_parent",), dangers={Danger.KILLS}),
        Variant(name="family", launcher=("kills_others_family",), dangers={Danger.KILLS}),
    ),
)
