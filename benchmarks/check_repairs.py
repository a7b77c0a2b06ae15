"""Run the conversations of an exported dataset's `repairs/` again, from the export alone.

    python benchmarks/check_repairs.py EXPORT_FOLDER [--results FILE] [--jobs N]

Takes the faulty and the fixed kernel out of the messages. Both run in Triton's interpreter, on the
reference and the test of the pair, by the harness. The fixed kernel runs on the smaller half of
the test's cases; so does the faulty one, and if that half accepts it, on all cases and variations.
A second part needs no run: it counts repeated faulty texts and texts with more than one change.

With `--results`, outcomes are kept in a file, and a later call goes on where this one ended.
The exit code is 1 if a faulty kernel passes or a fixed one does not.
"""

import argparse
import difflib
import hashlib
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from validation.harness.entry import Entry
from validation.harness.options import Options
from validation.harness.pool.tasks import run_tasks
from validation.harness.pool.worker_pool import WorkerPool
from validation.harness.schedule import open_pool
from validation.repairs.stages import KEPT_MOST, examine_mistake, examine_on_smaller_cases
from validation.rewards.answer_cache import AnswerCache, UnusableReference

SPLITS = ("train", "validation", "test")
CODE = re.compile(r"```python\n(.*?)\n```", re.DOTALL)
# Pairs whose answers are held at once.
AT_ONCE = 8

Record = dict[str, Any]
Result = tuple[str, str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--results", type=Path, help="keep outcomes here, and skip kept ones")
    parser.add_argument("--jobs", type=int, default=0, help="kernels at once (default: all CPUs)")
    given = parser.parse_args()
    pairs = {record["id"]: record for record in read(given.folder, "pairs")}
    repairs = list(read(given.folder, "repairs"))
    outcomes = kept(given.results)
    for name, verdict in rerun(pairs, repairs, outcomes, given.jobs):
        outcomes[name] = verdict
        if given.results:
            with given.results.open("a") as file:
                file.write(json.dumps([name, verdict]) + "\n")
    return report(repairs, outcomes)


def read(folder: Path, configuration: str) -> Iterator[Record]:
    for split in SPLITS:
        with (folder / configuration / f"{split}.jsonl").open() as lines:
            yield from map(json.loads, lines)


def kept(file: Path | None) -> dict[str, str]:
    if file is None or not file.exists():
        return {}
    return dict(json.loads(line) for line in file.read_text().splitlines())


def faulty_code(repair: Record) -> str:
    """Return the second block of code of the question; the first is the reference."""
    code: str = CODE.findall(repair["messages"][0]["content"])[1]
    return code + "\n"


def fixed_code(repair: Record) -> str:
    """Return the last block of code of the answer."""
    code: str = CODE.findall(repair["messages"][1]["content"])[-1]
    return code + "\n"


def fixed_name(repair: Record) -> str:
    """Return a name of the fixed kernel, which several conversations of a pair share."""
    digest = hashlib.sha256(fixed_code(repair).encode()).hexdigest()[:12]
    return f"{repair['metadata']['pair']}/fixed-{digest}"


# --- Runs -----------------------------------------------------------------------------------
def rerun(
    pairs: dict[str, Record], repairs: list[Record], outcomes: dict[str, str], jobs: int
) -> Iterator[Result]:
    by_pair: dict[str, list[Record]] = defaultdict(list)
    for repair in repairs:
        by_pair[repair["metadata"]["pair"]].append(repair)
    names = list(by_pair)
    with open_pool(Options(device="interpreter", jobs=jobs, timeout=150.0)) as pool:
        for start in range(0, len(names), AT_ONCE):
            references = AnswerCache(pool, KEPT_MOST)
            tasks = [
                task
                for name in names[start : start + AT_ONCE]
                for task in tasks_of(pairs[name], by_pair[name], outcomes, pool, references)
            ]
            with closing(
                run_tasks(tasks, pool.options.workers(), lambda: None, stop=pool.close)
            ) as results:
                yield from results


def tasks_of(
    pair: Record, repairs: list[Record], outcomes: dict[str, str], pool: WorkerPool,
    references: AnswerCache,
) -> Iterator[Callable[[], Result]]:  # fmt: skip
    texts = {repair["metadata"]["id"]: (faulty_code(repair), False) for repair in repairs}
    texts |= {fixed_name(repair): (fixed_code(repair), True) for repair in repairs}
    for name, (code, is_fixed) in texts.items():
        if name not in outcomes:
            yield partial(verdict_of, name, entry(pair, code), pool, references, is_fixed=is_fixed)


def verdict_of(
    name: str, kernel: Entry, pool: WorkerPool, references: AnswerCache, *, is_fixed: bool
) -> Result:
    try:
        if is_fixed:
            return name, str(examine_on_smaller_cases(kernel, pool, references).verdict)
        return name, str(examine_mistake(kernel, pool, references, varied=True).verdict)
    except UnusableReference as error:
        return name, str(error)


def entry(pair: Record, code: str) -> Entry:
    return Entry(
        id=pair["id"],
        python_code=pair["python_code"],
        triton_code=code,
        test_code=pair["test_code"],
        entry_point=pair["metadata"]["entry_point"],
        differentiable=pair["metadata"]["differentiable"],
    )


# --- Report ---------------------------------------------------------------------------------
def report(repairs: list[Record], outcomes: dict[str, str]) -> int:
    faulty = Counter(outcomes[repair["metadata"]["id"]] for repair in repairs)
    fixed = Counter(outcomes[name] for name in {fixed_name(repair) for repair in repairs})
    passing = Counter(outcomes[fixed_name(repair)] == "passed" for repair in repairs)
    rejected = sum(faulty[verdict] for verdict in ("failed", "error", "crashed"))
    print(f"{len(repairs)} conversations; {rejected} faulty kernels are rejected: {dict(faulty)}")
    print(f"{passing[True]} have a fix that passes; of {fixed.total()} kernels: {dict(fixed)}")
    texts = Counter(map(faulty_code, repairs))
    print(f"{sum(count - 1 for count in texts.values())} faulty texts repeat another one.")
    places = Counter(map(changed_places, repairs))
    print(f"changed places of a conversation: {dict(sorted(places.items()))}")
    kinds = Counter(repair["metadata"]["kind"] for repair in repairs)
    share = len(repairs) / max(1, len(kinds))
    print(f"{len(kinds)} kinds; the equal share is {share:.1f}")
    for kind, count in kinds.most_common():
        print(f"  {kind:26}{count:4}")
    return 0 if rejected == len(repairs) == passing[True] else 1


def changed_places(repair: Record) -> int:
    """Return the number of separate runs of lines that differ."""
    lines = (faulty_code(repair).split("\n"), fixed_code(repair).split("\n"))
    steps = difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes()
    return sum(step[0] != "equal" for step in steps)


if __name__ == "__main__":
    sys.exit(main())
