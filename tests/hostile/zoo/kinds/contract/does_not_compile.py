"""The kernel uses a name that nothing defines."""

from tests.hostile.zoo.catalog import Check, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR}, caught_by={Check.OWN_TEST, Check.VALUES}
    ),
    variants=(Variant(name="unknown-name", edits=(stores("(x + plus_one(y))"),)),),
)
