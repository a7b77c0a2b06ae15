"""Count the drafts of repositories, and the reasons of the operations that have none.

    python -m benchmarks.count_drafts GIT_FOLDER... [--entries FILE.jsonl] [--census FILE.json...]

Two drafts that lead to the same kernels count as one. Each repository is drafted in a process of
its own, so that the peak of memory is its own. The whole drafts can be written as entries, for
`python -m validation.harness`.

A census lists a repository's kernels, as `measure_extraction` reads it. The script counts
its launched kernels, those in an operation, and those in a whole draft.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.mirrors import python_files
from ingest.drafting import DraftOutcome, draft
from ingest.extract import MemoryTree
from ingest.simplified_drafts import simplified
from validation.observing.simplify import simplifier

Kernel = tuple[str, str]
"""Path and name of a kernel."""


@dataclass(frozen=True, slots=True)
class Count:
    name: str
    operations: int
    whole: int
    reasons: Counter[str]
    seconds: float
    megabytes: float
    entries: list[dict[str, object]]
    launched: frozenset[Kernel]
    """The kernels of all operations that have a launcher."""
    drafted: frozenset[Kernel]
    """The kernels of whole drafts."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path, help="git folders, bare or not")
    parser.add_argument("--entries", type=Path, help="the whole drafts are written here")
    parser.add_argument(
        "--census", nargs="+", type=Path, default=[], help="JSON files of counted kernels"
    )
    arguments = parser.parse_args()
    counts = list(count_all(arguments.folders))
    print(as_table(counts))
    for path in arguments.census:
        print(census_table(json.loads(path.read_text()), counts))
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
    with simplifier() as simplify:
        outcomes = simplified(draft(MemoryTree(files)), simplify)
    seconds = time.process_time() - started
    kept = list(one_for_each_kernel_set(outcomes))
    reasons = Counter(each.missing.value for each in kept if each.missing is not None)
    whole = sum(each.missing is None for each in kept)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    entries = [as_entry(each, folder.name) for each in kept if each.missing is None]
    launched = kernels_of(each for each in outcomes if each.operation.launcher is not None)
    drafted = kernels_of(each for each in outcomes if each.missing is None)
    return Count(folder.name, len(kept), whole, reasons, seconds, peak, entries, launched, drafted)


def kernels_of(outcomes: Iterable[DraftOutcome]) -> frozenset[Kernel]:
    return frozenset(
        (kernel.path, kernel.qualname) for one in outcomes for kernel in one.operation.kernels
    )


def as_entry(outcome: DraftOutcome, repository: str) -> dict[str, object]:
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
            "origin": "real-world",
        },
    }


def one_for_each_kernel_set(outcomes: list[DraftOutcome]) -> Iterator[DraftOutcome]:
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


def census_table(census: dict[str, Any], counts: list[Count]) -> str:
    """Return how much of a census is drafted, by the role of its files: library, test, example."""
    name = census["repository"]
    count = next((each for each in counts if each.name == name.replace("/", "+")), None)
    if count is None:
        return f"\n{name} of a census is not among the folders."
    by_role: defaultdict[str, set[Kernel]] = defaultdict(set)
    for kernel in census["kernels"]:
        if kernel["kind"] == "entry" and kernel["lang"] == "triton":
            by_role[kernel["role"]].add((kernel["path"], kernel["qualname"]))
    lines = [f"\n| census of {name} | kernels | in an operation | in a whole draft |"]
    lines += ["|---|--:|--:|--:|"]
    for role, kernels in sorted(by_role.items()):
        launched, drafted = len(kernels & count.launched), len(kernels & count.drafted)
        lines.append(f"| {role} | {len(kernels)} | {launched} | {drafted} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
