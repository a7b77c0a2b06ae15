"""The launcher returns a tensor that runs code when it is unpickled or copied."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED, Verdict.NOT_TRITON},
        caught_by={Check.VALUES, Check.MEMORY},
    ),
    variants=(
        Variant(name="tensor", launcher=("answer_that_runs_code_tensor",)),
        Variant(
            name="attribute",
            launcher=("answer_that_runs_code_attribute",),
            outcome=Outcome(
                expected={
                    Verdict.PASSED,
                    Verdict.FAILED,
                    Verdict.ERROR,
                    Verdict.CRASHED,
                    Verdict.NOT_TRITON,
                },
                caught_by={Check.VALUES, Check.CONTAINMENT},
                passes_because="The output is right, and the attribute stays behind.",
            ),
        ),
    ),
)
