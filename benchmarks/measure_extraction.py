"""Extraction against a census, on real repositories, and its speed.

Usage: python benchmarks/measure_extraction.py TRUTH MIRRORS [--no-imports] [--only TEXT]

TRUTH holds one JSON file for each repository of the census; MIRRORS one folder `owner+name` for
each repository, with a bare git directory `repo` in it. Mirrors that the census doesn't know are
measured for standalone shares and speed alone. Standalone modules are imported in a throw-away
container (needs bubblewrap, torch and triton).
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.import_in_container import import_all
from benchmarks.mirrors import files
from ingest.extract import Extraction, MemoryTree, Problem, extract, repository
from ingest.extract.repository import has_known_suffix, is_candidate
from ingest.extract.syntax import Source, parse
from tests.ingest.extract.undefined import undefined_names

PLACED = frozenset({"module", "function", "class", "condition"})
LOCALITIES = {"self": "same file", "same_file": "same file", "same_repo": "same repository"}
ELSEWHERE = ("is neither torch, triton", "It captures ")


@dataclass(eq=False)
class Result:
    name: str
    commit: str
    found: list[Extraction] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    megabytes: float = 0.0
    parsed: float = 0.0
    seconds: float = 0.0
    truth: list[dict[str, str | int]] | None = None


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("truth", type=Path)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--no-imports", action="store_true")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    results = list(_results(options.truth, options.mirrors, options.only))
    for result in results:
        _print_census(result)
    _print_speed(results)
    totals: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for where, counts in _print_shares(result, imports=not options.no_imports).items():
            totals[where].update(counts)
    print("\n## Together: closures that stand alone and import")
    for where, counts in totals.items():
        share = counts["imports"] / max(counts["kernels"], 1)
        print(f"  {where:16} {counts['kernels']:5} kernels {counts['imports']:5}: {share:.1%}")


def _results(truth: Path, mirrors: Path, only: str) -> Iterator[Result]:
    known = {path.stem.replace("__", "+"): path for path in sorted(truth.glob("*.json"))}
    names = sorted({*known, *(folder.name for folder in mirrors.iterdir() if folder.is_dir())})
    for name in names:
        if only not in name:
            continue
        census = json.loads(known[name].read_text()) if name in known else None
        texts, commit = _files(mirrors / name / "repo", census["commit"] if census else "HEAD")
        result = Result(name, commit, truth=census["kernels"] if census else None)
        result.megabytes = sum(len(d) for p, d in texts.items() if is_candidate(p, d)) / 1e6
        _PARSED[:] = [0]
        start = time.process_time()
        for item in extract(MemoryTree(texts)):
            if isinstance(item, Problem):
                result.problems.append(item)
            else:
                result.found.append(item)
        result.seconds = time.process_time() - start
        result.parsed = _PARSED.pop() / 1e6
        yield result


_PARSED: list[int] = []
"""Bytes parsed: the candidates, and the files that import kernels from them to launch them."""


def _counting_parse(path: str, text: str) -> Source:
    _PARSED[0] += len(text)
    return parse(path, text)


repository.parse = _counting_parse


def _files(mirror: Path, commit: str) -> tuple[dict[str, bytes], str]:
    if not mirror.exists():
        return _inductor_files(), commit
    present = subprocess.run(
        ["git", "-C", str(mirror), "cat-file", "-e", f"{commit}^{{commit}}"], check=False
    )
    commit = commit if present.returncode == 0 else "HEAD"
    return files(mirror, _wanted, commit), commit


def _wanted(path: str) -> bool:
    return has_known_suffix(path) or path.endswith(("pyproject.toml", "setup.py"))


def _inductor_files() -> dict[str, bytes]:
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return {}
    root = Path(spec.origin).parent
    files = {"torch/__init__.py": b""}
    for path in sorted((root / "_inductor").rglob("*.py")):
        files[f"torch/{path.relative_to(root).as_posix()}"] = path.read_bytes()
    return files


def _print_census(result: Result) -> None:
    if result.truth is None:
        return
    placed = [e for e in result.found if e.kernel.container in PLACED]
    have = {(e.kernel.path, e.kernel.sha256) for e in placed}
    print(f"\n## {result.name} at {result.commit[:12]}: against the census")
    roles: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in result.truth:
        roles[str(row["role"])].add((str(row["path"]), str(row["sha256"])))
    every = set().union(*roles.values()) if roles else set()
    for role, want in [*sorted(roles.items()), ("all", every)]:
        recall = len(want & have) / len(want) if want else 1.0
        print(f"  {role:8} {len(want):5} kernels, recall {recall:.2%}")
    print(f"  precision {len(have & every) / len(have) if have else 1.0:.2%} of {len(have)}")
    for path, _ in sorted(every - have):
        print(f"  missing: {path}")
    for path, _ in sorted(have - every):
        print(f"  not in the census: {path}")
    by_line = {(row["path"], row["start"]): row for row in result.truth}
    same = [e for e in placed if (e.kernel.path, e.kernel.start_line) in by_line]
    other = [
        e
        for e in same
        if by_line[e.kernel.path, e.kernel.start_line]["kind"] not in {e.kernel.kind, "both"}
    ]
    if same:
        print(f"  entry/helper agreement {1 - len(other) / len(same):.2%} of {len(same)}")
    for extraction in other:
        kernel = extraction.kernel
        print(f"  census says otherwise: {kernel.path}:{kernel.start_line} is no {kernel.kind}")


def _print_speed(results: list[Result]) -> None:
    print("\n## Speed (CPU time, one process, bytes to standalone kernels)")
    megabytes = sum(result.megabytes for result in results)
    parsed, seconds = sum(r.parsed for r in results), sum(r.seconds for r in results)
    rows = [(r.name, len(r.found), r.megabytes, r.parsed, r.seconds) for r in results]
    rows.append(("together", sum(row[1] for row in rows), megabytes, parsed, seconds))
    for name, kernels, size, read, time_taken in rows:
        print(
            f"  {name:34} {kernels:6} kernels {size:6.2f} MB with kernels {read:6.2f} MB parsed "
            f"{time_taken:6.2f} s: {size / time_taken:5.2f} and {read / time_taken:5.2f} MB/s"
        )


def _print_shares(result: Result, imports: bool) -> dict[str, Counter[str]]:
    """Print the number of standalone closures by their reach, and the reasons of the others."""
    failures = _import_failures(result) if imports else {}
    reach: defaultdict[str, Counter[str]] = defaultdict(Counter)
    hindrances: Counter[str] = Counter()
    undefined = 0
    for number, extraction in enumerate(result.found):
        if extraction.kernel.container not in PLACED:
            continue
        where = _reach(result, extraction)
        reach[where]["kernels"] += 1
        if extraction.unit.standalone:
            reach[where]["standalone"] += 1
            error = failures.get(f"{number:06}.py")
            reach[where]["imports"] += error is None
            undefined += bool(_undefined(extraction.unit.source))
            if error:
                hindrances[f"import: {error.splitlines()[0][:110]}"] += 1
        elif where != "elsewhere":
            hindrances[extraction.unit.reasons[0][:120]] += 1
    codes = Counter(problem.code for problem in result.problems)
    print(f"\n## {result.name}: standalone, {undefined} with an undefined name, {dict(codes)}")
    for where in ("same file", "same repository", "elsewhere"):
        counts = reach[where]
        if counts["kernels"]:
            share = counts["imports"] / counts["kernels"]
            print(
                f"  {where:16} {counts['kernels']:5} kernels {counts['standalone']:5} standalone "
                f"{counts['imports']:5} import too: {share:.1%}"
            )
    for reason, count in hindrances.most_common(25):
        print(f"    {count:4} {reason}")
    return reach


def _undefined(source: str) -> tuple[str, ...]:
    try:
        return undefined_names(source)
    except SyntaxError as error:
        return (f"syntax: {error}",)


def _reach(result: Result, extraction: Extraction) -> str:
    """Return the reach of a kernel's closure: the census's, if it knows the kernel."""
    unit, kernel = extraction.unit, extraction.kernel
    for row in result.truth or ():
        if (row["path"], row["start"]) == (kernel.path, kernel.start_line):
            return LOCALITIES.get(str(row["locality"]), "elsewhere")
    if any(mark in reason for reason in unit.reasons for mark in ELSEWHERE):
        return "elsewhere"
    return "same file" if set(unit.drawn_from) <= {kernel.path} else "same repository"


def _import_failures(result: Result) -> dict[str, str]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        for number, extraction in enumerate(result.found):
            if extraction.unit.standalone:
                (folder / f"{number:06}.py").write_text(extraction.unit.source, "utf-8")
        return import_all(folder)


if __name__ == "__main__":
    main()
