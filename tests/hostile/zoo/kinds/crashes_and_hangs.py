"""Entries that end their process, or never end."""

from tests.hostile.zoo.catalog import Danger, Kind, Needs, Outcome, Variant, in_kernel, in_reference
from tests.hostile.zoo.edits import before_the_test, stores

CRASHES = Kind(
    "The launcher kills its own process by a fatal error.",
    outcome=Outcome("failed error crashed", "own-test containment"),
    variants=(
        Variant("abort"),
        Variant("segmentation-fault"),
        Variant("stack-overflow"),
        Variant(
            "device-assertion",
            edits=(
                in_kernel("@triton.jit\n", "@triton.jit(debug=True)\n"),
                in_kernel(
                    "    mask = offsets < n\n",
                    ("    mask = offsets < n\n    tl.device_assert(offsets < 0, 'sold out')\n"),
                ),
            ),
            needs=Needs.GPU,
            needs_because="The interpreter raises an ordinary error.",
            outcome=Outcome("failed error crashed", "own-test values containment"),
        ),
        Variant("sigkill"),
    ),
)

HANGS_AT_EXIT = Kind(
    "The launcher is right, and leaves a thread that keeps its process from ending.",
    outcome=Outcome(
        "passed failed error timeout not_triton",
        "containment",
        passes_because="The answers are right, and the process is gone afterwards.",
    ),
    variants=(Variant("thread", dangers={Danger.HANGS}),),
)

HUGE_ANSWER = Kind(
    "The launcher returns an answer that no memory can hold.",
    outcome=Outcome("failed error crashed not_triton", "values containment"),
    variants=(
        Variant("tebibyte-view", dangers={Danger.MEMORY}),
        Variant("recursive-list", outcome=Outcome("failed error timeout crashed", "values")),
    ),
)

NEVER_RETURNS = Kind(
    "The entry never returns.",
    outcome=Outcome("timeout", "containment"),
    variants=(
        Variant("loop", dangers={Danger.HANGS}),
        Variant("sleep", dangers={Danger.HANGS}),
        Variant("import", dangers={Danger.HANGS}),
        Variant(
            "kernel",
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
            "reference",
            edits=(in_reference("    return x + y", ("    while True:\n        pass")),),
            dangers={Danger.HANGS},
            outcome=Outcome("error timeout", "containment"),
        ),
    ),
)

RAISES_A_BASE_EXCEPTION = Kind(
    "The launcher raises an exception that `except Exception` does not catch.",
    outcome=Outcome("failed error crashed", "own-test values"),
    variants=(
        Variant("keyboard-interrupt", words={"EXCEPTION": "KeyboardInterrupt"}),
        Variant("system-exit", words={"EXCEPTION": "SystemExit(0)"}),
    ),
)

RESISTS_BEING_STOPPED = Kind(
    "The launcher never returns, and its process resists signals.",
    outcome=Outcome("timeout", "containment"),
    variants=(
        Variant("ignored-signals", dangers={Danger.HANGS}),
        Variant(
            "stopped",
            dangers={Danger.HANGS},
            outcome=Outcome("error timeout crashed", "containment"),
        ),
    ),
)

TOO_MANY_CASES = Kind(
    "CASES is a list of ten million cases.",
    outcome=Outcome("failed error timeout crashed unsupported", "contract containment"),
    variants=(
        Variant(
            "ten-million",
            edits=(before_the_test("CASES = CASES * 2_000_000"),),
            dangers={Danger.HANGS, Danger.MEMORY},
        ),
    ),
)
