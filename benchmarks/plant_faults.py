"""Plants one fault in each of ten rooms, and runs the tests of that room on each.

    python -m benchmarks.plant_faults [NUMBER …]

The faults are planted in a temporary clone of HEAD. If no test finds a fault, the program ends with
status 1.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, slots=True)
class Fault:
    """A text of a file, what replaces it, and the tests that should notice."""

    file: str
    before: str
    after: str
    tests: str


FAULTS = (
    Fault(
        "ingest/licenses/policy.py",
        "return stricter(map(self._verdict, tree.args))",
        "return min(map(self._verdict, tree.args), key=STRICTNESS.index)",
        "tests/ingest/licenses",
    ),
    Fault(
        "ingest/extract/closure.py",
        "return not self.reasons and not self.missing",
        "return not self.missing",
        "tests/ingest/extract",
    ),
    Fault(
        "ingest/quality/measures.py",
        "return Measured(guarded / len(accesses), message)",
        "return Measured(1, message)",
        "tests/ingest/quality",
    ),
    Fault(
        "ingest/git/limits.py",
        '"--core=0",',
        '"--core=1",',
        "tests/ingest/git",
    ),
    Fault(
        "curation/similarity/minhash.py",
        "(shingles >> np.uint64(32))",
        "(shingles >> np.uint64(31))",
        "tests/curation/similarity",
    ),
    Fault(
        "curation/jobs/attempt.py",
        "pk=self.pk, state=RunState.RUNNING, attempt_token=self.token",
        "pk=self.pk, state=RunState.RUNNING",
        "tests/curation/jobs",
    ),
    Fault(
        "curation/decisions/decide.py",
        "if around.holder not in (None, user.pk):",
        "if around.holder == user.pk:",
        "tests/curation/decisions",
    ),
    Fault(
        "curation/export/splits.py",
        "rows = rows[_rank(sources) < self.caps[split, sources]]",
        "rows = rows[_rank(sources) >= 0]",
        "tests/curation/export",
    ),
    Fault(
        "curation/search/condition.py",
        "condition &= _holds(model, text, bounded)",
        "condition |= _holds(model, text, bounded)",
        "tests/curation/search",
    ),
    Fault(
        "validation/harness/judge/compare.py",
        "return max(grades, key=list(Grade).index, default=None)",
        "return min(grades, key=list(Grade).index, default=None)",
        "tests/validation/harness/judge",
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("numbers", nargs="*", type=int, help="of the faults; all if left out")
    numbers = parser.parse_args().numbers or range(1, len(FAULTS) + 1)
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        subprocess.run(["git", "clone", "-q", "--shared", ROOT, clone], check=True)
        for number in numbers:
            fault = FAULTS[number - 1]
            began = time.monotonic()
            line = _first_failure(clone, fault)
            missed += not line
            seconds = time.monotonic() - began
            print(f"{number:2} {fault.file}: {line or 'MISSED'} ({seconds:.0f} s)", flush=True)
    return bool(missed)


def _first_failure(clone: Path, fault: Fault) -> str:
    """Return the first test that fails with the fault, or "" if none does."""
    file = clone / fault.file
    text = file.read_text()
    if text.count(fault.before) != 1:
        raise ValueError(f"{fault.file} has not exactly one {fault.before!r}.")
    file.write_text(text.replace(fault.before, fault.after))
    try:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", fault.tests],
            cwd=clone,
            env={**os.environ, "PYTHONPATH": str(clone)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        file.write_text(text)
    failed = (line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR")))
    return next(failed, "").partition(" - ")[0]


if __name__ == "__main__":
    sys.exit(main())
