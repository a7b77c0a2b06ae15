"""The launcher fills memory until it is stopped, and is right only if it got all it asked for."""

from tests.hostile.zoo.catalog import Check, Danger, Kind, Needs, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.TIMEOUT, Verdict.CRASHED},
        caught_by={Check.CONTAINMENT},
    ),
    variants=(
        Variant(name="host", launcher=("fills_memory_host",), dangers={Danger.MEMORY}),
        Variant(name="shared", launcher=("fills_memory_shared",), dangers={Danger.MEMORY}),
        Variant(
            name="gpu",
            launcher=("fills_memory_gpu",),
            needs=Needs.GPU,
            needs_because="The memory is the GPU's.",
            dangers={Danger.MEMORY},
            outcome=Outcome(
                expected={Verdict.FAILED, Verdict.ERROR, Verdict.CRASHED},
                caught_by={Check.OWN_TEST, Check.VALUES, Check.CONTAINMENT},
            ),
        ),
    ),
)
