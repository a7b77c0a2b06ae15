"""Measures the license stage on real repositories: verdicts, evidence, seconds a file, memory.

    python -m benchmarks.measure_licenses MIRRORS [NAME …] [--show VERDICT] [--limit FILES]

MIRRORS holds one folder a repository, with a bare git directory `repo` inside. Each file that
mentions Triton is assessed twice: cold, and again from what was kept.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.mirrors import files
from ingest.extract import MemoryTree
from ingest.licenses import (
    Assessment,
    LicenseReader,
    Scancode,
    Verdict,
    assess,
    read_tree,
    strictest,
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", default="", help="list the files with this verdict")
    parser.add_argument("--limit", type=int, default=0, help="files a repository; 0: all")
    given = parser.parse_args()
    before = memory("VmRSS")
    detector = Scancode()
    started = time.perf_counter()
    detector.load()
    seconds = time.perf_counter() - started
    say(f"load {seconds:.2f} s, +{memory('VmRSS') - before} MB (peak {memory('VmHWM')} MB)")
    everything: list[Assessment] = []
    cold = warm = 0.0
    for folder in sorted(given.mirrors.glob("*/repo")):
        if not given.names or any(name in folder.parent.name for name in given.names):
            assessments, of_cold, of_warm = measure(folder, detector, given.show, given.limit)
            everything += assessments
            cold, warm = cold + of_cold, warm + of_warm
    if everything:
        say(f"all: {len(everything)} files, cold {cold / len(everything):.4f} s a file, "
            f"warm {warm / len(everything):.5f} s a file; {memory('VmRSS')} MB")  # fmt: skip
        say(f"     {show(Counter(map(evidence_of, everything)))}")


def evidence_of(assessment: Assessment) -> str:
    inherits = assessment.verdict is Verdict.PERMISSIVE and assessment.inherited
    return "inherited" if inherits else assessment.verdict.value


def measure(
    folder: Path, detector: Scancode, verdict: str, limit: int
) -> tuple[list[Assessment], float, float]:
    tree = MemoryTree(files(folder, lambda path: True))
    texts = [
        (path, data)
        for path in tree.paths()
        if path.endswith(".py") and (data := tree.read(path)) is not None and b"triton" in data
    ]
    texts = texts[:limit] if limit else texts
    reader = LicenseReader(detector)
    started = time.perf_counter()
    licenses = read_tree(tree, reader)
    tree_seconds = time.perf_counter() - started
    slowest, results = (0.0, ""), []
    started = time.perf_counter()
    for path, data in texts:
        before = time.perf_counter()
        results.append(assess(path, data, licenses, reader))
        slowest = max(slowest, (time.perf_counter() - before, path))
    cold = time.perf_counter() - started
    started = time.perf_counter()
    again = [assess(path, data, licenses, reader) for path, data in texts]
    warm = time.perf_counter() - started
    if again != results:
        raise SystemExit("What was kept gives another verdict than what was read.")
    each = max(1, len(results))
    say(f"{folder.parent.name}: {len(results)} files; tree of {len(licenses.files)} in "
        f"{tree_seconds:.2f} s; cold {cold / each:.4f}, warm {warm / each:.5f} s a file; "
        f"slowest {slowest[0]:.2f} {slowest[1]}")  # fmt: skip
    verdicts = Counter(a.verdict for a in results)
    sources = Counter(next((e.read_from for e in a.evidence if e.counts), "none") for a in results)
    expressions = Counter(a.expression for a in results)
    say(f"     {show(verdicts)} | {show(Counter(map(evidence_of, results)))}")
    say(f"     {show(sources)} | {show(expressions)}")
    if results:
        say(f"     strictest of all: {strictest(results).verdict}")
    for assessment in results:
        if verdict and assessment.verdict == verdict:
            say(f"       {assessment.path}: {assessment.reason}")
    return results, cold, warm


def show(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def memory(field: str) -> int:
    """This process's memory in MB, as the kernel sees it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) // 1024
    return 0


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
