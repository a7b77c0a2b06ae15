"""Command `python -m validation.harness ENTRIES.jsonl`: checks a file of entries."""

import argparse
import json
import os
import sys
import time
from collections import Counter
from contextlib import ExitStack, closing
from pathlib import Path

from validation.harness.entry import Entry, EntryUnreadable, read_entries
from validation.harness.options import Options, Unsuited, add_arguments, from_arguments
from validation.harness.pool.fork_server import ForkServerFailed
from validation.harness.pool.worker_pool import GpuSick
from validation.harness.report import Report, Verdict
from validation.harness.sandbox import SandboxUnavailable
from validation.harness.schedule import check

DESCRIPTION = (
    "Check the entries of a file: the Triton side is run and compared with the Python side. "
    "With `serve` as the first word, answer requests for rewards: see `serve --help`."
)
EPILOG = "Example: python -m validation.harness pairs.jsonl --device interpreter --report out.jsonl"


def main(words: list[str] | None = None) -> int:
    """Return 0 if all entries passed, 1 if some did not, 2 if an error ended the command.

    With `serve` as the first word, answer requests for rewards instead.
    """
    words = sys.argv[1:] if words is None else words
    try:
        if words[:1] == ["serve"]:
            # Import the server here: checking a file does not need it.
            from validation.rewards import command

            return command.serve(command.parser().parse_args(words[1:]))
        return checked(parser().parse_args(words))
    except (EntryUnreadable, SandboxUnavailable, ForkServerFailed, GpuSick, Unsuited) as error:
        say(f"{error}")
    except BrokenPipeError:
        # The reader closed the pipe. Python would flush to it again at exit, and fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        say(f"{error.filename}: {error.strerror}." if error.filename else f"{error}")
    except KeyboardInterrupt:
        say("\nStopped; every process that was started has ended.")
    return 2


def checked(arguments: argparse.Namespace) -> int:
    options = from_arguments(arguments, checks=tuple(arguments.checks), sanitize=arguments.sanitize)
    entries = list(read_entries(arguments.entries))
    if not entries:
        raise EntryUnreadable(f"{arguments.entries} holds no entry.")
    counts = run(entries, options, arguments.report)
    return 0 if set(counts) == {Verdict.PASSED} else 1


def run(entries: list[Entry], options: Options, path: Path | None) -> Counter[Verdict]:
    counts: Counter[Verdict] = Counter()
    started = time.monotonic()
    texts = {entry.id: entry.digest for entry in entries}
    with ExitStack() as stack:
        file = stack.enter_context(path.open("w", encoding="utf-8")) if path else None
        reports = stack.enter_context(closing(check(entries, options)))
        for number, report in enumerate(reports, 1):
            counts[report.verdict] += 1
            if file:
                line = {**report.as_dict(), "texts": texts[report.id]}
                file.write(json.dumps(line) + "\n")
                file.flush()
            show_row(report)
            show_progress(number, len(entries))
    tally = ", ".join(f"{counts[verdict]} {verdict}" for verdict in Verdict if counts[verdict])
    say(f"{len(entries)} entries in {time.monotonic() - started:.1f} s: {tally}")
    return counts


def show_row(report: Report) -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
    mark = "✓" if report.verdict is Verdict.PASSED else "✗"
    seconds = report.seconds.get("total", 0.0)
    speed = f"{fast:6.2f} x  " if (fast := report.figures.get("speedup")) else ""
    say(f"{mark} {report.id:<40.40} {report.verdict:<11} {seconds:6.2f} s  {speed}{report.message}")


def show_progress(done: int, total: int) -> None:
    if sys.stderr.isatty():
        sys.stderr.write(f"\r{done} of {total}")
        sys.stderr.flush()


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def parser() -> argparse.ArgumentParser:
    usual = Options()
    made = argparse.ArgumentParser(
        "python -m validation.harness", description=DESCRIPTION, epilog=EPILOG
    )
    add = made.add_argument
    add("entries", type=Path, help="a file of dataset records: JSON Lines or one JSON array")
    add("--report", type=Path, help="write one line of JSON for each entry to this file")
    add("--checks", nargs="+", choices=usual.checks, default=usual.checks, help="only these checks")
    add_arguments(made, usual, "measure the speed of entries that pass; needs a GPU")
    add("--sanitize", action="store_true",
        help="also run entries that pass under compute-sanitizer; needs a GPU",
    )  # fmt: skip
    return made


if __name__ == "__main__":
    sys.exit(main())
