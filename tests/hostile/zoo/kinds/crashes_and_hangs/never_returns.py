"""The entry never returns."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant, in_kernel, in_reference
from tests.hostile.zoo.edits import stores

KIND = Kind(
    outcome=Outcome("timeout", "containment"),
    variants=(
        Variant(name="loop", launcher=("never_returns_loop",), dangers={Danger.HANGS}),
        Variant(name="sleep", launcher=("never_returns_sleep",), dangers={Danger.HANGS}),
        Variant(name="import", launcher=("never_returns_import",), dangers={Danger.HANGS}),
        Variant(
            name="kernel",
            edits=(
                in_kernel(
                    "    mask = offsets < n\n",
                    (
                        "    mask = offsets < n\n"
                        "    turns = tl.load(x_ptr).to(tl.float32) * 0.0\n"
                        "    while turns < 1.0:\n"
                        "        turns = turns * tl.load(y_ptr).to(tl.float32)\n"
                    ),
                ),
                stores("(x + y + turns)"),
            ),
            dangers={Danger.HANGS},
        ),
        Variant(
            name="reference",
            edits=(in_reference("    return x + y", ("    while True:\n        pass")),),
            dangers={Danger.HANGS},
            outcome=Outcome("error timeout", "containment"),
        ),
    ),
)
