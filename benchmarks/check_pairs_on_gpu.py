"""Runs every pair of a JSON Lines file as a stranger would, several at a time.

    python benchmarks/check_pairs_on_gpu.py pairs.jsonl [--jobs 8]

Needs torch, triton, numpy and pytest, nothing of this project. On a machine without a GPU it runs
in Triton's interpreter.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--deadline", type=float, default=120)
    options = parser.parse_args()
    if shutil.which("nvidia-smi") is None:
        os.environ["TRITON_INTERPRET"] = "1"
    # By its path: the tests' own packages ask for Django.
    spec = importlib.util.spec_from_file_location(
        "stranger", HERE.parent / "tests" / "validation" / "pairs" / "stranger.py"
    )
    assert spec is not None and spec.loader is not None
    stranger = importlib.util.module_from_spec(spec)
    sys.modules["stranger"] = stranger
    spec.loader.exec_module(stranger)

    entries = [json.loads(line) for line in options.pairs.read_text().splitlines()]
    started = time.monotonic()
    failed, slowest = [], []
    for number, outcome in enumerate(
        stranger.outcomes(entries, options.jobs, options.deadline), start=1
    ):
        slowest.append((outcome.seconds, outcome.name))
        if not outcome.passed:
            failed.append(outcome.name)
            print(f"\nFAILED {outcome.name} ({outcome.seconds:.1f} s)\n{outcome.output[-3000:]}")
        elif sys.stderr.isatty():
            print(f"\r{number} of {len(entries)}", end="", file=sys.stderr)
    seconds = time.monotonic() - started
    print(f"{len(entries) - len(failed)} of {len(entries)} passed in {seconds:.1f} s.")
    print("Slowest:", ", ".join(f"{name} {s:.1f} s" for s, name in sorted(slowest)[-5:]))
    for name in failed:
        print(f"failed: {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
