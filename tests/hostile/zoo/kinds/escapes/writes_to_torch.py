"""The entry is right only if it can write to the installation of torch or Triton."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.NOT_TRITON},
        caught_by={Check.OWN_TEST, Check.CONTAINMENT},
    ),
    variants=(Variant(name="version-files", launcher=("writes_to_torch",)),),
)
