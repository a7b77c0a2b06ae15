"""Count the drafts of repositories, and the reasons of the operations that have none.

    python -m benchmarks.count_drafts GIT_FOLDER... [--entries FILE.jsonl]

Two drafts that lead to the same kernels count as one. Each repository is drafted in a process of
its own, so that the peak of memory is its own. The whole drafts can be written as entries, for
`python -m validation.harness`.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from benchmarks.mirrors import python_files
from ingest.drafting import Outcome, draft
from ingest.extract import MemoryTree


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    operations: int
    whole: int
    reasons: Counter[str]
    seconds: float
    megabytes: float
    entries: list[dict[str, object]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="git folders, bare or not")
    parser.add_argument("--entries", type=Path, help="the whole drafts are written here")
    arguments = parser.parse_args()
    counts = list(count_all(arguments.folders))
    print(as_table(counts))
    if arguments.entries is not None:
        entries = [entry for count in counts for entry in count.entries]
        arguments.entries.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))


def count_all(folders: list[Path]) -> Iterator[Count]:
    for folder in folders:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            yield pool.submit(count_drafts, folder).result()


def count_drafts(folder: Path) -> Count:
    git = next(path for path in (folder / "repo", folder / ".git", folder) if path.exists())
    files = python_files(git)
    started = time.process_time()
    outcomes = list(draft(MemoryTree(files)))
    seconds = time.process_time() - started
    kept = list(one_for_each_kernel_set(outcomes))
    reasons = Counter(one.missing.value for one in kept if one.missing is not None)
    whole = sum(one.missing is None for one in kept)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    entries = [as_entry(one, folder.name) for one in kept if one.missing is None]
    return Count(folder.name, len(kept), whole, reasons, seconds, peak, entries)


def as_entry(outcome: Outcome, repository: str) -> dict[str, object]:
    draft, operation = outcome.draft, outcome.operation
    assert draft is not None
    place = operation.launcher or draft.test
    return {
        "id": f"{repository}:{place.path}:{place.start_line}:{operation.name}",
        "python_code": draft.texts.python_code,
        "triton_code": draft.texts.triton_code,
        "test_code": draft.texts.test_code,
        "metadata": {
            "description": draft.sentence,
            "entry_point": draft.entry_point,
            "differentiable": draft.differentiable,
            "origin": f"real-world:{repository}",
        },
    }


def one_for_each_kernel_set(outcomes: list[Outcome]) -> Iterator[Outcome]:
    """Yield the outcomes, but only one whole draft for each set of kernels."""
    seen: set[frozenset[object]] = set()
    for outcome in outcomes:
        kernels = frozenset(outcome.operation.kernels)
        if outcome.missing is None and kernels in seen:
            continue
        if outcome.missing is None:
            seen.add(kernels)
        yield outcome


def as_table(counts: list[Count]) -> str:
    lines = ["| repository | operations | whole drafts | processor seconds | MiB | reasons |"]
    lines += ["|---|--:|--:|--:|--:|---|"]
    for count in counts:
        reasons = ", ".join(f"{name} {number}" for name, number in count.reasons.most_common())
        lines.append(
            f"| {count.name} | {count.operations} | {count.whole} | {count.seconds:.0f} "
            f"| {count.megabytes:.0f} | {reasons} |"
        )
    operations = sum(count.operations for count in counts)
    whole = sum(count.whole for count in counts)
    lines.append(f"| **all** | {operations} | {whole} | | | |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
