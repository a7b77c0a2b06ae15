"""Share of kernels of real sources with an answer from the compile check, and its cost.

A source is a local repository or folder, or a folder's path and the part of it that counts:
`/mirrors/triton/repo:python/tutorials`. All are read into a database of their own; then every
kernel that is launched from the host and stands alone is compiled, in the sandbox.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from benchmarks.arguments import parse_sources
from validation.compile import Compiled

MANAGE = Path(__file__).resolve().parents[1] / "manage.py"
TOP = 6


def main(sources: list[str]) -> None:
    with tempfile.TemporaryDirectory() as data:
        os.environ |= {"CURATION_DATA": data, "DJANGO_SETTINGS_MODULE": "curation.settings"}
        subprocess.run([sys.executable, MANAGE, "migrate", "-v0"], check=True)
        parts = {source: part for source, _, part in (text.partition(":") for text in sources)}
        for source in parts:
            subprocess.run([sys.executable, MANAGE, "ingest", source, "--now"], check=True)
        measure(parts)


def measure(parts: dict[str, str]) -> None:
    import django

    django.setup()
    from curation.models import Repository
    from validation.checkers import compilable
    from validation.compile import Judge
    from validation.compiling import unit

    everything: list[Compiled] = []
    for source, part in parts.items():
        kernels = compilable().filter(
            provenances__source_file__repository=Repository.objects.get(url=source),
            provenances__source_file__path__startswith=part,
        )
        units = [unit(kernel) for kernel in kernels.distinct().order_by("pk")]
        began = time.monotonic()
        with Judge() as judge:
            print(f"\n{source} {part}", judge.environment if units else "", flush=True)
            outcomes = [outcome for _, outcome in judge.compile(units)]
        show(outcomes)
        print(f"  {time.monotonic() - began:.0f} s by the clock on {os.cpu_count()} cores")
        everything += outcomes
    print("\nAll")
    show(everything)


def show(outcomes: list[Compiled]) -> None:
    print(f"  {len(outcomes)} kernels")
    if not outcomes:
        return
    shares = Counter(f"{o.answer} {o.reason or ''}".strip() for o in outcomes)
    for name, number in shares.most_common():
        print(f"  {number / len(outcomes):6.1%} {number:5} {name}")
    print(f"  {sum(o.definite for o in outcomes) / len(outcomes):6.1%} definite")
    compiled = [o for o in outcomes if o.answer == "compiles"]
    at_once = sum(o.flips == 0 for o in compiled)
    print(f"  {at_once} of {len(compiled)} compile as first guessed")
    seconds = sorted(o.seconds for o in outcomes)
    p90 = seconds[int(0.9 * (len(seconds) - 1))]
    print(f"  processor seconds: median {statistics.median(seconds):.2f}, p90 {p90:.2f}")
    for answer in ("rejected", "undecided"):
        reasons = Counter(o.message[:90] for o in outcomes if o.answer == answer)
        for reason, number in reasons.most_common(TOP):
            print(f"  {answer} {number:4} {reason}")


if __name__ == "__main__":
    main(parse_sources(__doc__, "a local repository or folder, or a part of one"))
