"""Entries that forge what a judge reads."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import WRITES_ZEROS

ANSWER_THAT_AGREES = Kind(
    "The launcher returns an object that answers every comparison with yes.",
    outcome=Outcome("failed error not_triton", "values"),
    variants=(Variant("object"), Variant("tensor-subclass")),
)

ANSWER_THAT_RUNS_CODE = Kind(
    "The launcher returns a tensor that runs code when it is unpickled or copied.",
    outcome=Outcome("failed error crashed not_triton", "values memory"),
    variants=(
        Variant("tensor"),
        Variant(
            "attribute",
            outcome=Outcome(
                "passed failed error crashed not_triton",
                "values containment",
                passes_because="The output is right, and the attribute stays behind.",
            ),
        ),
    ),
)

DROPS_PLUGINS = Kind(
    "The launcher leaves a conftest.py, a sitecustomize.py and a .pth file for later runs.",
    outcome=Outcome("failed error not_triton", "own-test values containment"),
    variants=(Variant("three-files", edits=(WRITES_ZEROS,)),),
)

ENDS_PYTEST_EARLY = Kind(
    "The launcher raises an exception of pytest that ends or skips the test.",
    outcome=Outcome("failed error crashed not_triton", "own-test values"),
    variants=(
        Variant("exit"),
        Variant("skip", outcome=Outcome("failed error not_triton vacuous", "own-test values")),
    ),
)

EXITS_SUCCESSFULLY = Kind(
    "The entry ends its process with exit code 0 before anything is compared.",
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(
        Variant("launcher"),
        Variant(
            "import", outcome=Outcome("failed error crashed not_triton", "contract own-test values")
        ),
        Variant(
            "atexit",
            how="The exit code of a failed run becomes 0.",
            edits=(WRITES_ZEROS,),
            outcome=Outcome("failed not_triton", "own-test values"),
        ),
        Variant("closed-files", how="All open files are closed first."),
    ),
)

FORGES_THE_REPORT = Kind(
    "The launcher writes a verdict into every open file, pipe and JSON file, and exits.",
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(Variant("all-files"),),
)

HOSTILE_ERROR = Kind(
    "The launcher raises an error that harms the process which prints it.",
    outcome=Outcome("failed error crashed not_triton", "own-test values containment"),
    variants=(
        Variant("exits"),
        Variant(
            "one-gigabyte",
            outcome=Outcome("failed error timeout crashed", "own-test values containment"),
            dangers={Danger.MEMORY, Danger.HANGS},
        ),
    ),
)

PATCHES_PYTEST = Kind(
    "The launcher patches pytest so that every test passes, and writes zeros.",
    outcome=Outcome("failed not_triton", "values"),
    variants=(
        Variant("reports", edits=(WRITES_ZEROS,)),
        Variant("test-functions", edits=(WRITES_ZEROS,)),
    ),
)

PATCHES_THE_CLOCK = Kind(
    "The launcher stops the clocks of Python and CUDA, so that it seems to take no time.",
    outcome=Outcome(
        "passed failed not_triton",
        "own-test values kernel-matters containment",
        passes_because="The answers are right, and no time is measured in its process.",
    ),
    variants=(Variant("all-clocks"),),
)

PATCHES_THE_COMPARISON = Kind(
    "The launcher patches what its test compares with, and writes zeros.",
    outcome=Outcome("failed not_triton", "values"),
    variants=(
        Variant("allclose", edits=(WRITES_ZEROS,)),
        Variant(
            "assert-close",
            edits=(
                WRITES_ZEROS,
                in_test(
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)",
                    "    torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol)",
                ),
            ),
            outcome=Outcome("failed not_triton vacuous", "values"),
        ),
        Variant("tolerance", edits=(WRITES_ZEROS,)),
    ),
)

REWRITES_ITS_TEST = Kind(
    "The launcher overwrites its test on disk with one that passes, and writes zeros.",
    outcome=Outcome("failed error not_triton", "own-test values containment"),
    variants=(Variant("appended", edits=(WRITES_ZEROS,)),),
)
