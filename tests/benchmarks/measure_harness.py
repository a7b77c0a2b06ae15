"""How fast the harness is beside `python -m pytest`, an entry a process, in the same run.

    python -m tests.benchmarks.measure_harness [--device cuda] [--entries 128] [--jobs 8 16]

Entries are the zoo's honest ones under other names, so that none shares a compiled kernel with
another. Every process starts with an empty Triton cache. Sequential pytest is measured on a sample.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.hostile.zoo.load import Needs, honest_entries
from validation.harness import Entry, Options, check
from validation.harness.entry import parse
from validation.sandbox import Level

TEXTS = ("python_code", "triton_code", "test_code")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--device", choices=("cuda", "interpreter"), default="interpreter")
    parser.add_argument("--entries", type=int, default=128)
    parser.add_argument("--sequential", type=int, default=16, help="pytest one after the other")
    parser.add_argument("--parallel", type=int, default=64, help="pytest, 8 at once")
    parser.add_argument("--ways", type=int, default=8)
    parser.add_argument("--jobs", type=int, nargs="+", default=[0])
    parser.add_argument("--share", type=int, default=16)
    parser.add_argument("--sandbox", choices=[str(level) for level in Level])
    parser.add_argument("--only", nargs="*", default=[], help="names of honest entries")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    entries = distinct(arguments.entries, arguments.only)
    figures: dict[str, Any] = {"entries": len(entries), "device": arguments.device}

    def note(name: str, seconds: float, count: int, **more: Any) -> None:
        figures[name] = {"seconds": seconds, "per_entry": seconds / count, "count": count, **more}
        print(f"{name:34} {count:4} entries {seconds:8.2f} s {seconds / count:8.3f} s an entry", flush=True)  # fmt: skip

    for name, count, ways in (
        ("pytest, one after the other", arguments.sequential, 1),
        (f"pytest, {arguments.ways} at once", arguments.parallel, arguments.ways),
    ):
        if count:
            chosen = spread(entries, count)
            started = time.monotonic()
            failed = pytest_each(chosen, arguments.device, ways)
            note(name, time.monotonic() - started, len(chosen), failed=failed)
    options = Options(
        device=arguments.device, share=arguments.share, timeout=120.0,
        level=Level(arguments.sandbox) if arguments.sandbox else None,
    )  # fmt: skip
    for jobs in arguments.jobs:
        for title, checks in (("all checks", options.checks), ("check 1 alone", ("test",))):
            told = harness(entries, replace(options, jobs=jobs, checks=checks))
            note(f"harness, {title}, jobs {jobs or 'auto'}", told.pop("wall"), len(entries), **told)
            print("   ", json.dumps(told["verdicts"]), json.dumps(told["mean_seconds"]), flush=True)
    if arguments.out:
        arguments.out.write_text(json.dumps(figures, indent=1))


def distinct(count: int, only: Sequence[str]) -> list[Entry]:
    """Copies whose kernels have other names, and so other compiled forms."""
    honest = [
        e for e in honest_entries() if e.needs is Needs.NOTHING and (not only or e.name in only)
    ]
    made = []
    for number in range(count):
        source, copy = honest[number % len(honest)], number // len(honest)
        entry = parse(source.record(), source.name)
        renamed = re.sub(r"\b(\w+_kernel)\b", rf"\1_{copy}", entry.triton_code)
        made.append(replace(entry, id=f"{source.name}-{copy}", triton_code=renamed))
    return made


def spread(entries: Sequence[Entry], count: int) -> list[Entry]:
    step = max(1, len(entries) // count)
    return list(entries[::step][:count])


def pytest_each(entries: Sequence[Entry], device: str, ways: int) -> int:
    with ThreadPoolExecutor(ways) as pool:
        return sum(pool.map(lambda entry: pytest_once(entry, device), entries))


def pytest_once(entry: Entry, device: str) -> int:
    folder = Path(tempfile.mkdtemp(prefix="measured-"))
    try:
        for name in TEXTS:
            (folder / f"{name}.py").write_text(getattr(entry, name))
        environment = {**os.environ, "TRITON_CACHE_DIR": str(folder / "cache")}
        environment |= {"TRITON_INTERPRET": "1"} if device == "interpreter" else {}
        command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "test_code.py"]
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True)
        return int(done.returncode != 0)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def harness(entries: Sequence[Entry], options: Options) -> dict[str, Any]:
    started = time.monotonic()
    verdicts: Counter[str] = Counter()
    spent: defaultdict[str, float] = defaultdict(float)
    wrong = []
    first = 0.0
    for report in check(entries, options):
        first = first or time.monotonic() - started
        verdicts[report.verdict] += 1
        for name, seconds in report.seconds.items():
            spent[name] += seconds / len(entries)
        if report.verdict != "passed":
            wrong.append([report.id, report.verdict, report.message[:300]])
            print("   ", wrong[-1], flush=True)
    return {
        "wall": time.monotonic() - started,
        "first": first,
        "verdicts": dict(verdicts),
        "mean_seconds": {name: round(value, 4) for name, value in spent.items()},
        "wrong": wrong,
        "environment": report.environment,
    }


if __name__ == "__main__":
    main()
