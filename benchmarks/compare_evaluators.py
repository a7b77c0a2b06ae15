"""Compare the harness with the evaluators of KernelBench and BackendBench on 100 kernels.

    python -m benchmarks.compare_evaluators prepare FOLDER --kernelbench CLONE --backendbench CLONE
    python -m benchmarks.compare_evaluators run FOLDER --out OUT [--at-once 8] [--entries 20]

`prepare` draws 50 honest and 50 faulty entries and copies the evaluators' Python files to FOLDER.

`run` needs torch and triton, no internet. It asks each evaluator about each entry and prints a
table. OUT/answers-8.jsonl gets one line for each answer, where 8 is the number of entries at once.
An evaluator that crashes or takes 120 seconds has given no answer.

KernelBench is asked twice. `kernelbench` compares values, with five trials as its scripts do.
`kernelbench, all checks` adds its static checker, its timing and its warning of a high speedup.
An exception that leaves an evaluator is a rejection, as its own scripts count it.

Each question to another evaluator has a process of its own and an empty cache of kernels. The
process is forked from one that has imported torch and triton, as the harness does it too. The
start of that process is not in the figures; the start of the harness is.
"""

import argparse
import json
import multiprocessing
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import torch

from benchmarks.compared_entries import Item, prepare
from benchmarks.other_evaluators import (
    ACCEPTED,
    EVALUATORS,
    NO_ANSWER,
    REJECTED,
    answer_here,
)

TIMEOUT = 120.0
HARNESS = "harness"
# Faults and the right answer.
COLUMNS = {
    "honest accepted": ({""}, ACCEPTED),
    "wrong rejected": ({"wrong"}, REJECTED),
    "fake rejected": ({"fake"}, REJECTED),
    "all faulty rejected": ({"wrong", "fake"}, REJECTED),
}
CONTEXT = multiprocessing.get_context("forkserver")


@dataclass(frozen=True, slots=True)
class Answer:
    evaluator: str
    name: str
    fault: str
    answer: str
    reason: str
    seconds: float
    detail: str


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    steps = parser.add_subparsers(dest="step", required=True)
    first = steps.add_parser("prepare", help="draw the entries; needs the zoo")
    first.add_argument("folder", type=Path)
    first.add_argument("--kernelbench", type=Path, required=True, metavar="CLONE")
    first.add_argument("--backendbench", type=Path, required=True, metavar="CLONE")
    second = steps.add_parser("run", help="ask the evaluators")
    second.add_argument("folder", type=Path)
    second.add_argument("--out", type=Path, required=True)
    second.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    second.add_argument("--at-once", type=int, default=8, help="entries at once")
    second.add_argument("--entries", type=int, help="only the first ones, half of them faulty")
    second.add_argument("--seconds", type=float, default=560.0, help="ask no question after it")
    arguments = parser.parse_args()
    if arguments.step == "prepare":
        prepare(arguments.folder, arguments.kernelbench, arguments.backendbench)
    else:
        run(arguments)


def run(arguments: argparse.Namespace) -> None:
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.device == "cpu":
        os.environ["TRITON_INTERPRET"] = "1"
    os.environ["INPUTS_ON"] = arguments.device
    end = time.monotonic() + arguments.seconds
    lines = (arguments.folder / "items.jsonl").read_text().splitlines()
    items = [Item(**json.loads(line)) for line in lines][: arguments.entries]
    start_fork_server()
    print(f"torch {torch.__version__}, Python {platform.python_version()}, {arguments.device}")
    header = ("evaluator", *COLUMNS, "no answer", "seconds an entry")
    print(f"| {' | '.join(header)} |\n" + "|---" * len(header) + "|", flush=True)
    reasons = []
    with (arguments.out / f"answers-{arguments.at_once}.jsonl").open("w") as file:
        for evaluator in (HARNESS, *EVALUATORS):
            started = time.monotonic()
            answers = []
            for answer in ask(evaluator, items, end, arguments):
                answers.append(answer)
                file.write(json.dumps(asdict(answer)) + "\n")
                file.flush()
            print(row(evaluator, answers, time.monotonic() - started), flush=True)
            counts = Counter((a.fault or "honest", a.answer, a.reason) for a in answers)
            reasons += [(evaluator, *key, count) for key, count in sorted(counts.items())]
    print("\n| evaluator | entries | answer | reason | count |\n" + "|---" * 5 + "|")
    for line in reasons:
        print("|", " | ".join(map(str, line)), "|")


def row(evaluator: str, answers: Sequence[Answer], wall: float) -> str:
    """Return a line of the table."""
    cells = [evaluator]
    for faults, right in COLUMNS.values():
        some = [answer.answer for answer in answers if answer.fault in faults]
        cells.append(f"{some.count(right)} of {len(some)}")
    cells.append(f"{sum(answer.answer == NO_ANSWER for answer in answers)}")
    cells.append(f"{wall / max(1, len(answers)):.2f}")
    return f"| {' | '.join(cells)} |"


def start_fork_server() -> None:
    """Start the process from which those of the other evaluators are forked."""
    CONTEXT.set_forkserver_preload(["triton", "numpy", "benchmarks.compared_entries"])
    process = CONTEXT.Process(target=os.getpid)
    process.start()
    process.join()


def ask(
    evaluator: str, items: Sequence[Item], end: float, arguments: argparse.Namespace
) -> Iterator[Answer]:
    """Yield an answer for each item, in their order, but not those that the time does not allow."""
    if evaluator == HARNESS:
        yield from ask_harness(items, end, arguments)
        return

    def ask_in_time(item: Item) -> Answer | None:
        return ask_other(evaluator, item, arguments.folder) if time.monotonic() < end else None

    with ThreadPoolExecutor(arguments.at_once) as pool:
        yield from filter(None, pool.map(ask_in_time, items))


def ask_harness(
    items: Sequence[Item], end: float, arguments: argparse.Namespace
) -> Iterator[Answer]:
    records = (arguments.folder / "records.jsonl").read_text().splitlines()[: len(items)]
    entries = arguments.out / f"records-{arguments.at_once}.jsonl"
    report = arguments.out / f"harness-{arguments.at_once}.jsonl"
    entries.write_text("\n".join(records))
    device = "interpreter" if arguments.device == "cpu" else "cuda"
    command = [sys.executable, "-m", "validation.harness", str(entries), "--device", device]
    command += ["--jobs", str(arguments.at_once), "--report", str(report)]
    with suppress(subprocess.TimeoutExpired):
        subprocess.run(command, stdout=subprocess.DEVNULL, timeout=max(1, end - time.monotonic()))
    lines = report.read_text().splitlines() if report.exists() else []
    reports = {each["id"]: each for each in map(json.loads, lines)}
    for item, record in zip(items, records, strict=True):
        judged = reports.get(json.loads(record)["id"], {})
        verdict = judged.get("verdict", "unsupported")
        answer = {"passed": ACCEPTED, "unsupported": NO_ANSWER}.get(verdict, REJECTED)
        seconds = judged.get("seconds", {}).get("total", 0.0)
        detail = judged.get("message", "no report")
        yield Answer(HARNESS, item.name, item.fault, answer, verdict, seconds, detail)


def ask_other(evaluator: str, item: Item, prepared: Path) -> Answer:
    """Ask in a process of its own. The file that it writes is the answer."""
    folder = Path(tempfile.mkdtemp(prefix="asked-"))
    started = time.monotonic()
    process = CONTEXT.Process(
        target=answer_here, args=(evaluator, item, prepared.resolve(), folder)
    )
    process.start()
    process.join(TIMEOUT)
    seconds = time.monotonic() - started
    with suppress(ProcessLookupError):
        os.killpg(process.pid or 0, signal.SIGKILL)
    try:
        answer, reason, detail = json.loads((folder / "answer.json").read_text())
    except (OSError, ValueError):
        answer, reason = NO_ANSWER, "timeout" if seconds >= TIMEOUT else "crash"
        detail = (folder / "output").read_text(errors="replace")
    shutil.rmtree(folder, ignore_errors=True)
    return Answer(evaluator, item.name, item.fault, answer, reason, seconds, detail[-1500:])


if __name__ == "__main__":
    main()
