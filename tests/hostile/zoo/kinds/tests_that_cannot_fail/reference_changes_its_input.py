"""The reference adds in place, and the candidate copies what it finds."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR}, caught_by={Check.VALUES, Check.MEMORY}
    ),
    variants=(
        Variant(
            name="in-place",
            edits=(Edit("python_code", "return x + y", "return x.add_(y)"), stores("x")),
        ),
    ),
)
