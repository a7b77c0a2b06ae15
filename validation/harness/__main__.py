"""`python -m validation.harness ENTRIES.jsonl`: checks a file of entries, on a GPU or without."""

import argparse
import json
import os
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from validation.harness import (
    Entry,
    EntryUnreadable,
    GpuSick,
    Options,
    ParentAway,
    Report,
    Unsuited,
    Verdict,
    check,
    read_entries,
)
from validation.sandbox import Level, SandboxUnavailable

BAR = 30
GIB = 1 << 30


def main(words: list[str] | None = None) -> int:
    """0: every entry passed; 1: not every one; 2: nothing could be checked."""
    try:
        return checked(parser().parse_args(words))
    except (EntryUnreadable, SandboxUnavailable, ParentAway, GpuSick, Unsuited) as error:
        say(f"{error}")
    except BrokenPipeError:
        # The reader of the pipe is gone. Python would write once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        say(f"{error.filename}: {error.strerror}." if error.filename else f"{error}")
    except KeyboardInterrupt:
        say("\nStopped; every process that was started has ended.")
    return 2


def checked(arguments: argparse.Namespace) -> int:
    options = Options(
        device=arguments.device or default_device(),
        jobs=arguments.jobs,
        timeout=arguments.timeout,
        memory=int(arguments.memory * GIB),
        seed=arguments.seed,
        level=Level(arguments.sandbox) if arguments.sandbox else None,
        timing=arguments.timing,
        sanitize=arguments.sanitize,
    )
    if arguments.checks:
        options = replace(options, checks=tuple(arguments.checks))
    entries = list(read_entries(arguments.entries))
    if not entries:
        raise EntryUnreadable(f"{arguments.entries} holds no entry.")
    counts = run(entries, options, arguments.report)
    return 0 if set(counts) == {Verdict.PASSED} else 1


def run(entries: list[Entry], options: Options, report: Path | None) -> Counter[Verdict]:
    counts: Counter[Verdict] = Counter()
    started = time.monotonic()
    with ExitStack() as stack:
        file = stack.enter_context(report.open("w", encoding="utf-8")) if report else None
        for number, one in enumerate(stack.enter_context(closing(check(entries, options))), 1):
            counts[one.verdict] += 1
            if file:
                file.write(json.dumps(one.as_dict()) + "\n")
                file.flush()
            row(one)
            progress(number, len(entries))
    seconds = time.monotonic() - started
    tally = ", ".join(f"{counts[one]} {one}" for one in Verdict if counts[one])
    say(f"{len(entries)} entries in {seconds:.1f} s: {tally}")
    return counts


def row(report: Report) -> None:
    wipe()
    mark = "✓" if report.verdict is Verdict.PASSED else "✗"
    seconds = report.seconds.get("total", 0.0)
    speed = f"{fast:6.2f} x  " if (fast := report.figures.get("speedup")) else ""
    say(f"{mark} {report.id:<40.40} {report.verdict:<11} {seconds:6.2f} s  {speed}{report.message}")


def progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        filled = BAR * done // max(1, total)
        sys.stderr.write(f"\r[{'█' * filled}{' ' * (BAR - filled)}] {done} of {total}")
        sys.stderr.flush()


def wipe() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")


def say(words: str, to: TextIO | None = None) -> None:
    (to or sys.stdout).write(words + "\n")
    (to or sys.stdout).flush()


def default_device() -> str:
    """Return the device by what the machine has: this process never imports torch."""
    return "cuda" if Path("/dev/nvidiactl").exists() else "interpreter"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("python -m validation.harness", description=__doc__)
    made.add_argument("entries", type=Path, help="JSONL (or one JSON array) of dataset records")
    made.add_argument("--device", choices=("cuda", "interpreter"))
    made.add_argument("--jobs", type=int, default=0, help="entries at once (default: the CPUs)")
    made.add_argument("--report", type=Path, help="one JSON line an entry is written here")
    made.add_argument("--checks", nargs="+", choices=Options().checks, help="only these")
    made.add_argument("--timeout", type=float, default=Options().timeout, help="seconds a step")
    made.add_argument(
        "--memory", type=float, default=Options().memory / GIB, help="GiB that a process may use"
    )
    made.add_argument("--timing", action="store_true", help="how fast is what passes? On a GPU")
    made.add_argument(
        "--sanitize", action="store_true", help="run what passes under compute-sanitizer too"
    )
    made.add_argument("--seed", type=int, default=Options().seed)
    made.add_argument(
        "--sandbox",
        choices=[str(level) for level in Level],
        help="insist on this level; 'none' runs untrusted code unconfined",
    )
    return made


if __name__ == "__main__":
    sys.exit(main())
