"""The launcher keeps its first answers, and returns them for later inputs of another content."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.NOT_TRITON},
        caught_by={Check.VARIATIONS, Check.MEMORY, Check.REPEATABILITY},
    ),
    variants=(
        Variant(name="by-size", launcher=("repeats_its_first_answer",), words={"KEY": "x.numel()"}),
        Variant(
            name="by-address", launcher=("repeats_its_first_answer",), words={"KEY": "x.data_ptr()"}
        ),
    ),
)
