"""Correctness, speed and robustness of the harness, on a machine with or without a GPU.

    python -m benchmarks.measure_harness zoo speed mixed --out FOLDER [--device cuda]

Each part is a process of its own and bounded in time; its figures go to FOLDER/PART.jsonl, one JSON
object a line. The exit code is 0 if every part came to its end and found nothing wrong. Needs
torch, triton, numpy and pytest, this package and the zoo; no Django.

- zoo: every entry of the zoo, with the verdict that it deserves and the one that it got.
- speed: distinct entries with cold caches. `python -m pytest` an entry, in sequence and several at
  once, beside the harness with all checks and with the first alone.
- mixed: a thousand entries of which 5% hang, crash or corrupt. Verdicts, memory, leftovers.
"""

import argparse
import importlib.util
import json
import os
import platform
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.harness_entries import distinct, mixture, pytest_once, spread
from benchmarks.process_usage import Memory, gpu_memory, of_gpus, traces
from tests.hostile.zoo.catalog import Danger, Needs, Verdict
from tests.hostile.zoo.load import Entry as ZooEntry
from tests.hostile.zoo.load import outcome, zoo
from validation.harness.entry import Entry, parse
from validation.harness.options import Options
from validation.harness.report import Report
from validation.harness.sandbox import Level, probe
from validation.harness.schedule import check

SECONDS = {"zoo": 400, "speed": 420, "mixed": 540}
HANGING = 8.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="+", choices=list(PARTS))
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", choices=("cuda", "interpreter"), default="cuda")
    parser.add_argument("--sandbox", choices=[str(level) for level in Level])
    parser.add_argument("--seconds", type=int, help="for each part, instead of its own bound")
    parser.add_argument("--entries", type=int, default=128, help="of speed")
    parser.add_argument("--mixed", type=int, default=1000, help="entries of mixed")
    parser.add_argument("--sequential", type=int, default=16, help="pytest, one after the other")
    parser.add_argument("--parallel", type=int, default=64, help="pytest, 8 at once")
    parser.add_argument("--jobs", type=int, nargs="+", default=[0])
    parser.add_argument("--share", type=int, default=16)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.here:
        # An exit, so that the figures so far are written.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit("out of time"))
        return PARTS[arguments.parts[0]](arguments)
    codes = {part: bounded(part, arguments) for part in arguments.parts}
    print("\n" + ", ".join(f"{part}: {code or 'ok'}" for part, code in codes.items()))
    return int(any(codes.values()))


def bounded(part: str, arguments: argparse.Namespace) -> int | str:
    print(f"\n== {part}", flush=True)
    again = [word for word in sys.argv[1:] if word not in PARTS]
    command = [sys.executable, "-m", "benchmarks.measure_harness", part, *again, "--here"]
    process = subprocess.Popen(command)
    for patience in (arguments.seconds or SECONDS[part], 60):
        try:
            return process.wait(patience)
        except subprocess.TimeoutExpired:
            process.terminate()
    process.kill()
    return "out of time, and had to be killed"


class Notes:
    """Figures as they come: on the screen, and a line of JSON each."""

    def __init__(self, part: str, arguments: argparse.Namespace) -> None:
        self.file = (arguments.out / f"{part}.jsonl").open("w")
        self.started = time.monotonic()
        self("host", cpus=os.cpu_count(), probe=probe().sentence, gpus=gpu_memory(),
             driver=of_gpus("driver_version")[:1], python=platform.python_version(),
             torch=version("torch"), triton=version("triton"),
             bytecode=keeps_bytecode())  # fmt: skip

    def __call__(self, name: str, **figures: Any) -> None:
        at = round(time.monotonic() - self.started, 1)
        self.file.write(json.dumps({"name": name, "at": at, **figures}) + "\n")
        self.file.flush()
        shown = ", ".join(
            f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
            for key, value in figures.items()
            if key not in ("report", "wrong")
        )
        print(f"{name:28} {shown}", flush=True)


def keeps_bytecode() -> bool:
    """Return whether torch's Python is compiled. Otherwise each process that imports it compiles it
    again, which takes seconds: each of pytest's, and each run of the harness."""
    found = importlib.util.find_spec("torch")
    return bool(found and found.cached and Path(found.cached).exists())


def options_of(arguments: argparse.Namespace, **more: Any) -> Options:
    level = Level(arguments.sandbox) if arguments.sandbox else probe().level
    # Said out loud, as the command line asks for it: nothing confines here.
    given = Level.NONE if level is Level.NONE else None
    return Options(
        device=arguments.device,
        share=arguments.share,
        jobs=arguments.jobs[0],
        level=Level(arguments.sandbox) if arguments.sandbox else given,
        **more,
    )


# --- Is it right? ---------------------------------------------------------------------------
def measure_zoo(arguments: argparse.Namespace) -> int:
    notes = Notes("zoo", arguments)
    unconfined = options_of(arguments).level is Level.NONE
    able = {Needs.NOTHING, Needs.GPU if arguments.device == "cuda" else Needs.INTERPRETER}
    wanted = {
        entry.record()["id"]: entry
        for entry in zoo()
        if entry.needs in able and not (unconfined and entry.dangerous)
    }
    seen: dict[str, Report] = {}
    try:
        for hangs in (False, True):
            some = [parse(e.record(), e.name) for e in wanted.values() if _hangs(e) is hangs]
            limit = HANGING if hangs else 60.0
            for report in check(some, options_of(arguments, timeout=limit, memory=3 << 30)):
                seen[report.id] = report
                judge(notes, wanted[report.id], report)
    finally:
        missing = sorted(wanted.keys() - seen.keys())
        bad = [name for name, report in seen.items() if not _right(wanted[name], report)]
        notes("zoo", entries=len(wanted), differ=len(bad), not_seen=len(missing), names=bad,
              missing=missing)  # fmt: skip
    return int(bool(bad or missing))


def judge(notes: Notes, entry: ZooEntry, report: Report) -> None:
    expected = "/".join(sorted(entry.expected))
    mark = "  " if _right(entry, report) else "!!"
    notes(f"{mark} {entry.name}"[:48], expected=expected, seen=str(report.verdict),
          seconds=report.seconds.get("total"), message=report.message[:140],
          report=report.as_dict())  # fmt: skip


def _right(entry: ZooEntry, report: Report) -> bool:
    seen = outcome(report.verdict, report.figures.get("grades", {}))
    return seen in entry.expected or Verdict(report.verdict) in entry.expected


def _hangs(entry: ZooEntry) -> bool:
    return entry.cheat is not None and Danger.HANGS in entry.cheat.dangers


# --- How fast? ------------------------------------------------------------------------------
def measure_speed(arguments: argparse.Namespace) -> int:
    notes, wrong = Notes("speed", arguments), 0
    entries = distinct(arguments.entries)
    each: dict[str, float] = {}
    for ways, count in ((1, arguments.sequential), (8, arguments.parallel)):
        chosen = spread(entries, count)
        started = time.monotonic()
        with ThreadPoolExecutor(ways) as pool:
            failed = sum(pool.map(lambda one: pytest_once(one, arguments.device), chosen))
        each[f"{ways}"] = (time.monotonic() - started) / len(chosen)
        notes(f"pytest, {ways} at once", entries=len(chosen), per_entry=each[f"{ways}"],
              failed=failed)  # fmt: skip
    for jobs in arguments.jobs:
        options = replace(options_of(arguments, timeout=120.0), jobs=jobs)
        for title, checks in (("all checks", options.checks), ("check 1 alone", ("test",))):
            figures = through_the_harness(entries, replace(options, checks=checks))
            wrong += len(figures["wrong"])
            per_entry = figures["wall"] / len(entries)
            notes(f"harness, {title}", jobs=jobs, entries=len(entries), per_entry=per_entry,
                  against_sequence=each["1"] / per_entry, against_eight=each["8"] / per_entry,
                  **figures)  # fmt: skip
    return int(wrong > 0)


def through_the_harness(entries: Sequence[Entry], options: Options) -> dict[str, Any]:
    started = time.monotonic()
    first = 0.0
    verdicts: Counter[str] = Counter()
    spent: defaultdict[str, float] = defaultdict(float)
    wrong = []
    environment: dict[str, Any] = {}
    for report in check(entries, options):
        first = first or time.monotonic() - started
        verdicts[report.verdict] += 1
        environment = report.environment
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
        "environment": environment,
    }


# --- How tough? -----------------------------------------------------------------------------
def measure_mixed(arguments: argparse.Namespace) -> int:
    notes = Notes("mixed", arguments)
    entries, expected = mixture(arguments.mixed)
    before = traces()
    wrong: list[Any] = []
    verdicts, memory = Counter[str](), Memory()
    left: dict[str, list[str]] = {}
    # Matrices in four types take twenty seconds to compile while thirty others do.
    options = options_of(arguments, timeout=30.0 if arguments.device == "cuda" else 60.0)
    started = time.monotonic()
    try:
        with memory, closing(check(entries, options)) as reports:
            for number, report in enumerate(reports, 1):
                verdicts[report.verdict] += 1
                if Verdict(report.verdict) not in expected[report.id]:
                    wrong.append([report.id, report.verdict, report.message[:200]])
                    print("   ", wrong[-1], flush=True)
                if number % 100 == 0:
                    notes(f"after {number}", seconds=time.monotonic() - started, **memory.now())
    finally:
        seconds = time.monotonic() - started
        time.sleep(2)
        left = {name: sorted(after - before[name]) for name, after in traces().items()}
        some = memory.samples[:: max(1, len(memory.samples) // 50)]
        notes("mixed", entries=len(entries), seconds=seconds, verdicts=dict(verdicts),
              wrong_verdicts=len(wrong), wrong=wrong, left_behind=left, gpus=gpu_memory(),
              samples=some)  # fmt: skip
    return int(bool(wrong or any(left.values()) or sum(verdicts.values()) != len(entries)))


PARTS = {"zoo": measure_zoo, "speed": measure_speed, "mixed": measure_mixed}

if __name__ == "__main__":
    sys.exit(main())
