"""Entries that look for a way out of the sandbox."""

from tests.hostile.zoo.catalog import Danger, Kind, Outcome, Variant

KILLS_OTHERS = Kind(
    "The launcher is right only if it can kill another process and survives that.",
    outcome=Outcome("failed error timeout crashed not_triton", "own-test containment"),
    variants=(Variant("parent", dangers={Danger.KILLS}), Variant("family", dangers={Danger.KILLS})),
)

LEAVES_A_PROCESS = Kind(
    "The launcher is right, and leaves a process in its own session that holds every pipe open.",
    outcome=Outcome(
        "passed failed error timeout crashed not_triton",
        "containment",
        passes_because="The answers are right, and nothing is left behind.",
    ),
    variants=(Variant("new-session", dangers={Danger.FORKS, Danger.HANGS}),),
)

READS_WHAT_IS_NOT_ITS_OWN = Kind(
    "The launcher is right only if it finds secrets or files of other entries.",
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(Variant("secrets"), Variant("other-entries")),
)

TRACES_ITS_PARENT = Kind(
    "The launcher is right only if it can open the memory of its parent.",
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(Variant("memory"),),
)

USES_THE_NETWORK = Kind(
    "The launcher is right only if it finds a route, or an open port on the loopback interface.",
    outcome=Outcome("failed error crashed not_triton", "own-test containment"),
    variants=(Variant("udp-and-tcp"),),
)

WRITES_TO_TORCH = Kind(
    "The entry is right only if it can write to the installation of torch or Triton.",
    outcome=Outcome("failed error not_triton", "own-test containment"),
    variants=(Variant("version-files"),),
)
