"""The original plan's scripts and `manage.py pipeline` on the same checkouts: seconds, where theirs
stops, and why the files differ.

The plan's folder holds its scripts 02 to 07, and the other one the work trees that its first script
makes: triton, pytorch, flash-attention, xformers and jax. Each is a git repository whose remote is
the one on GitHub, which identifies a clone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
ORGANIZED = "triton_kernels_organized"

STEPS = (
    "02_identify_kernels.sh", "03_statistics.sh", "04_organize_kernels.sh",
    "05_verify_licenses.py", "06_quality_checks.py", "07_create_manifest.py",
)  # fmt: skip

# Each category's checkout, and the folder of it that the plan copies from.
CATEGORIES = {
    "tutorial": ("triton", "python/tutorials"),
    "inductor": ("pytorch", "torch/_inductor"),
    "flashattention": ("flash-attention", ""),
    "xformers": ("xformers", "xformers/ops"),
    "jax": ("jax", "jax/experimental/pallas"),
}


def main(plan: str, checkouts: str) -> None:
    trees = {checkout: Path(checkouts, checkout) for checkout, _ in CATEGORIES.values()}
    with tempfile.TemporaryDirectory() as folder:
        workspace, out = Path(folder, "workspace"), Path(folder, "out")
        for name, tree in trees.items():
            shutil.copytree(
                tree, workspace / name, symlinks=True, ignore=shutil.ignore_patterns(".git")
            )
        plan_run = run_plan(Path(plan).resolve(), workspace)
        environment = {**os.environ, "CURATION_DATA": str(Path(folder, "data"))}
        Path(folder, "data").mkdir()
        ours = run_pipeline([str(tree.resolve()) for tree in trees.values()], out, environment)
        ratio, of_processor = ours.seconds / plan_run.seconds, ours.processor / plan_run.processor
        print(f"\nratio of ours, first time, to all of theirs: {ratio:.0f}, {of_processor:.0f} by "
              "the processor\n")  # fmt: skip
        compare(workspace, out, kernels(environment))


@dataclass(frozen=True, slots=True)
class Spent:
    """By the clock, and by the processor: the one that another load does not lengthen."""

    seconds: float = 0.0
    processor: float = 0.0

    def __add__(self, other: Spent) -> Spent:
        return Spent(self.seconds + other.seconds, self.processor + other.processor)

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.processor:.2f} s of processor)"


def timed(command: Sequence[str], **how: Any) -> tuple[subprocess.CompletedProcess[str], Spent]:
    before, began = os.times(), time.monotonic()
    done = subprocess.run(command, text=True, check=False, **how)
    after = os.times()
    processor = sum(after[2:4]) - sum(before[2:4])
    return done, Spent(time.monotonic() - began, processor)


def run_plan(plan: Path, workspace: Path) -> Spent:
    """Every step, also those after one that fails, at which the plan itself would have stopped."""
    whole = until = Spent()
    stopped = ""
    for step in STEPS:
        program = "bash" if step.endswith(".sh") else sys.executable
        done, spent = timed(
            [program, str(plan / step), str(workspace)], cwd=workspace, capture_output=True,
            env={**os.environ, "WORKSPACE": str(workspace)},
        )  # fmt: skip
        whole += spent
        until += Spent() if stopped else spent
        said = (done.stderr.strip().splitlines() or [""])[-1]
        print(f"theirs, {step}: {spent}{f', FAILS: {said}' if done.returncode else ''}")
        if done.returncode and not stopped:
            stopped = step
    print(f"theirs: {whole} for all steps; stops after {until} at {stopped or 'none'}")
    print(f"theirs: a manifest is {'not ' if stopped else ''}reached by its own master script\n")
    return whole


def run_pipeline(sources: list[str], out: Path, environment: dict[str, str]) -> Spent:
    """Into a database of its own; twice, and the first time is given back."""
    manage = [sys.executable, str(ROOT / "manage.py")]
    subprocess.run([*manage, "load_sources"], env=environment, check=True)
    every = []
    for reading in ("first time", "nothing changed"):
        command = [*manage, "pipeline", *sources, "--out", str(out)]
        done, spent = timed(command, env=environment, stdout=subprocess.PIPE)
        every.append(spent)
        if reading == "first time":
            print(done.stdout)
        print(f"ours, {reading}: {spent}, exit code {done.returncode}")
    return every[0]


@dataclass(frozen=True, slots=True)
class Copied:
    """Files that the plan put into a category, by their paths in the repository, and overwrote."""

    paths: set[str]
    overwritten: set[str]


def compare(workspace: Path, out: Path, verdicts: dict[tuple[str, str], set[str]]) -> None:
    manifest = json.loads((out / ORGANIZED / "MANIFEST.json").read_text())
    named = (workspace / "extraction_logs" / "all_triton_kernels.txt").read_text().splitlines()
    categories = manifest["categories"].items()
    ours_in = {
        file["source"]["path"]: category
        for category, entry in categories
        for file in entry["files"]
    }
    print(f"their step 02 names {len(named)} files that hold “@triton.jit”; by category:")
    for category, (checkout, root) in CATEGORIES.items():
        entry = manifest["categories"][category]
        ours = {file["source"]["path"]: file for file in entry["files"]}
        of_plan = copied(workspace, category)
        both = of_plan.paths & ours.keys()
        print(f"\n{category}: theirs {len(of_plan.paths)}, ours {len(ours)}, both {len(both)}")
        reasons: dict[str, list[str]] = defaultdict(list)
        for path in of_plan.paths - ours.keys():
            text = (workspace / checkout / path).read_text(errors="replace")
            why = why_not_ours(text, verdicts.get((checkout, path)), ours_in.get(path))
            reasons[f"only theirs: {why}"].append(path)
        for path in ours.keys() - of_plan.paths:
            why = why_not_theirs(category, root, path, of_plan)
            reasons[f"only ours: {why}"].append(path)
        for why, paths in sorted(reasons.items()):
            print(f"  {len(paths):>4}  {why}: {', '.join(sorted(paths)[:3])}"
                  f"{', …' if len(paths) > 3 else ''}")  # fmt: skip
        if of_plan.overwritten:
            print(f"  {len(of_plan.overwritten):>4}  lost by theirs, under another's name: "
                  f"{', '.join(sorted(of_plan.overwritten))}")  # fmt: skip
        listed = {line.removeprefix(f"{checkout}/") for line in named
                  if line.startswith(f"{checkout}/")}  # fmt: skip
        missed = listed - of_plan.paths
        if missed:
            print(f"  {len(missed):>4}  of the {len(listed)} that their step 02 names, their "
                  "step 04 copies not")  # fmt: skip
    print(f"\nours leaves out, by reason: {manifest['left_out']}")


def copied(workspace: Path, category: str) -> Copied:
    """Theirs keep their paths in some categories, and only their names in others."""
    checkout, root = CATEGORIES[category]
    folder = workspace / ORGANIZED / category
    files = [path for path in folder.rglob("*.py") if path.is_file()]
    if category == "tutorial":
        return Copied({f"{root}/{path.name}" for path in files}, set())
    if category != "flashattention":
        return Copied({path.relative_to(folder).as_posix() for path in files}, set())
    tree = workspace / checkout
    result, lost = set(), set()
    for path in files:
        data = path.read_bytes()
        same_name = [p for p in tree.rglob(path.name) if p.is_file()]
        kept = next(p for p in reversed(same_name) if p.read_bytes() == data)
        result.add(kept.relative_to(tree).as_posix())
        lost |= {p.relative_to(tree).as_posix() for p in same_name if p != kept}
    return Copied(result, lost)


def why_not_ours(text: str, verdicts: set[str] | None, ours_in: str | None) -> str:
    if ours_in is not None:
        return f"among ours of {ours_in}"
    if verdicts is None:
        return (
            "names @triton.jit, but in strings or comments"
            if "@triton.jit" in text
            else "holds no kernel"
        )
    for verdict in ("blocked", "conflict", "unknown"):
        if verdict in verdicts:
            return f"its license is {verdict}"
    return "kept back by another gate of ours"


def why_not_theirs(category: str, root: str, path: str, theirs: Copied) -> str:
    if path in theirs.overwritten:
        return "theirs overwrote it with another file of its name"
    if root and not path.startswith(f"{root}/"):
        return f"not below {root}"
    if category == "tutorial":
        return "in a folder below the tutorials"
    if category in ("xformers", "jax"):
        return "no “triton” in its path"
    return "no “triton” in its name" if "triton" not in PurePosixPath(path).name else "no .py file"


def kernels(environment: dict[str, str]) -> dict[tuple[str, str], set[str]]:
    """Return the license verdicts of the kernels of each file, by checkout and path."""
    command = [sys.executable, str(ROOT / "manage.py"), "list_kernels", "--json"]
    listed = subprocess.check_output(command, env=environment, text=True)
    result: dict[tuple[str, str], set[str]] = defaultdict(set)
    for kernel in map(json.loads, listed.splitlines()):
        checkout = PurePosixPath(kernel["repository"]).name
        result[checkout, kernel["path"]].add(kernel["license_verdict"])
    return result


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", help="the folder of the plan's scripts")
    parser.add_argument("checkouts", help="the folder of the work trees")
    given = parser.parse_args()
    main(given.plan, given.checkouts)
