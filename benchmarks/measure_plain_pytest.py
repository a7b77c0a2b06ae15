"""Results of pytest alone on the zoo: a process an entry, three files in a folder.

    python -m benchmarks.measure_plain_pytest [NAME …] [--jobs 2] [--seconds 60]

Runs in Triton's interpreter, each entry in a cage of its own (bubblewrap, prlimit). A cheat that
passes here is one that only a harness can catch; an honest entry that does not is a fault of ours.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from tests.hostile.zoo.cage import Outcome, plain_pytest
from tests.hostile.zoo.load import Entry, zoo


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0, help="what an entry may take")
    arguments = parser.parse_args()

    chosen = [
        entry
        for entry in zoo()
        if entry.interpretable and (not arguments.names or entry.name in arguments.names)
    ]

    def outcome_of(entry: Entry) -> Outcome:
        return plain_pytest(entry, seconds=arguments.seconds)

    width = max(len(entry.name) for entry in chosen)
    outcomes = []
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for entry, outcome in zip(chosen, pool.map(outcome_of, chosen), strict=True):
            kind = "cheat" if entry.cheat else "honest"
            print(f"{kind:6}  {entry.name:{width}}  {outcome}", flush=True)
            outcomes.append((kind, outcome))
    _summarize(outcomes)


def _summarize(outcomes: Iterable[tuple[str, Outcome]]) -> None:
    print()
    for (kind, outcome), count in sorted(Counter(outcomes).items()):
        print(f"{count:4} {kind} {outcome}")


if __name__ == "__main__":
    main()
