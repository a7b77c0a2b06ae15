"""Fingerprints of a benchmark: computed from its files, and stored in a file without texts.

A file holds hashes, and the names and paths of the problems. All shingles are stored as 64-bit
hashes, so that a comparison gives the same matches as with the texts.
"""

import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from curation.errors import CurationError
from curation.similarity import minhash, operations, syntax
from curation.similarity.contamination import (
    BenchmarkPart,
    BenchmarkText,
    fingerprint_parts,
    index,
    matches,
)
from curation.similarity.definitions import JIT
from curation.similarity.operations import chain_hash, operation_chain
from curation.similarity.shingles import Shingles

RULES = f"{minhash.SCHEME}/syntax{syntax.VERSION}/operations{operations.VERSION}/1"
"""Version of the fingerprint rules. Its last number is the version of the choice of texts."""
SUFFIX = ".npz"
PYTHON = (".py", ".pyi")
TABLES = (".json", ".jsonl")
CODE = re.compile(r"^[ \t]*(?:def |class |@)", re.MULTILINE)

TASKS = {
    "ScalingIntelligence/KernelBench": "KernelBench/level*/*.py",
    "thunlp/TritonBench": "data/TritonBench_[GT]_v1/*.py",
    # Its problems are names of PyTorch operators. No file of the repository states a problem.
    "meta-pytorch/BackendBench": "",
    "gpu-mode/reference-kernels": "problems/*/reference.py",
}
"""Glob of the files that state a problem, by benchmark. All other files of a listed benchmark are
compared too, but are no problems. In other benchmarks, each file counts as a problem."""
ENTRY_POINTS = ("Model", "ref_kernel")
"""Name of a problem's class in KernelBench, and of its function in gpu-mode. In other benchmarks, a
problem's function is named like its file."""


@dataclass(frozen=True, slots=True)
class BenchmarkProblem:
    benchmark: str
    name: str
    path: str
    chain_hash: str = ""
    """Hash of the operations in its PyTorch code, or "" if no operation could be read."""

    @property
    def key(self) -> str:
        """Unique name of the problem among all benchmarks."""
        return "\0".join((self.benchmark, self.path, self.name))

    @property
    def is_task(self) -> bool:
        """True if the file states a problem, and is not part of the benchmark's other code."""
        return fnmatchcase(self.path, TASKS.get(self.benchmark, "*"))


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkFingerprints:
    repository: str
    commit: str
    license: str
    rules: str
    problems: tuple[BenchmarkProblem, ...]
    parts: tuple[BenchmarkPart, ...]


def fingerprint_benchmark(
    repository: str,
    commit: str,
    license: str,
    files: Iterable[tuple[str, str]],
    kernels: Iterable[tuple[str, str, str]] = (),
) -> BenchmarkFingerprints:
    """Return the fingerprints of a benchmark's files.

    `files`: paths and texts. `kernels`: path, name and text of each kernel in a file of another
    kind, such as Markdown.
    """
    texts: list[tuple[BenchmarkProblem, str]] = []
    tables: list[tuple[BenchmarkProblem, str]] = []
    for path, text in files:
        name = str(PurePosixPath(path).with_suffix(""))
        if path.endswith(PYTHON):
            problem = BenchmarkProblem(repository, name, path)
            if problem.is_task:
                problem = replace(problem, chain_hash=_chain_hash(path, text))
            texts.append((problem, text))
        elif path.endswith(TABLES):
            for number, code in enumerate(_code_in(text), start=1):
                tables.append((BenchmarkProblem(repository, f"{name}:{number}", path), code))
    for path, name, text in kernels:
        texts.append((BenchmarkProblem(repository, f"{path}:{name}", path), text))
    parts = list(_parts(texts))
    if tables:
        # Tables mostly repeat problems of other files. Count each only once: if many problems have
        # the same shingle, it is taken for an idiom and no longer matches.
        known = index(parts)
        new = [(problem, text) for problem, text in tables if not matches(text, known)]
        parts.extend(_parts(new))
    compared = {part.problem for part in parts}
    problems = [problem for problem, _ in (*texts, *tables)]
    return BenchmarkFingerprints(
        repository,
        commit,
        license,
        RULES,
        tuple(each for each in problems if each.chain_hash or each.key in compared),
        tuple(parts),
    )


def _parts(texts: Iterable[tuple[BenchmarkProblem, str]]) -> Iterator[BenchmarkPart]:
    return fingerprint_parts(
        BenchmarkText(problem.key, problem.path, text) for problem, text in texts
    )


def _chain_hash(path: str, text: str) -> str:
    """Return the operation hash of a PyTorch problem, or "" for a file with kernels."""
    if JIT.search(text):
        return ""
    for name in (*ENTRY_POINTS, PurePosixPath(path).stem):
        if re.search(rf"^(?:def|class) {re.escape(name)}\b", text, re.MULTILINE):
            return chain_hash(operation_chain(text, name))
    return ""


def _code_in(table: str) -> Iterator[str]:
    """Yield each different text in a table that contains Python."""
    seen: set[str] = set()
    pending = list(_values(table))
    while pending:
        value = pending.pop()
        if isinstance(value, dict):
            pending.extend(reversed(value.values()))
        elif isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, str) and value not in seen and CODE.search(value):
            seen.add(value)
            yield value


def _values(table: str) -> Iterator[object]:
    """Yield the value of a JSON file, or else the value of each line that is JSON."""
    try:
        yield json.loads(table)
    except (ValueError, RecursionError):
        for line in table.splitlines():
            try:
                yield json.loads(line)
            except (ValueError, RecursionError):
                continue


# --- Files ----------------------------------------------------------------------------------------
def write_fingerprints(fingerprints: BenchmarkFingerprints, folder: Path) -> Path:
    """Write the file of a benchmark. Equal fingerprints always give the same bytes."""
    problems, parts = fingerprints.problems, fingerprints.parts
    numbers = {problem.key: number for number, problem in enumerate(problems)}
    about = {
        "repository": fingerprints.repository,
        "commit": fingerprints.commit,
        "license": fingerprints.license,
        "rules": fingerprints.rules,
        "problems": [[each.name, each.path, each.chain_hash] for each in problems],
        "parts": [
            [numbers[part.problem], part.syntax, part.loose_syntax, part.words, len(part.shingles)]
            for part in parts
        ],
    }
    stream = io.BytesIO()
    np.savez_compressed(
        stream,
        about=np.frombuffer(json.dumps(about).encode(), np.uint8),
        hashes=np.concatenate([np.zeros(0, np.uint64), *(part.shingles for part in parts)]),
    )
    path = folder / f"{fingerprints.repository.replace('/', '+')}{SUFFIX}"
    path.write_bytes(stream.getvalue())
    return path


def read_fingerprints(path: Path) -> BenchmarkFingerprints:
    """Read a file that `write_fingerprints` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return _read(json.loads(arrays["about"].tobytes()), arrays["hashes"])
    except (OSError, ValueError, KeyError) as error:
        raise CurationError(
            f"{path} is not a file of benchmark fingerprints ({error}). Delete it, or write it "
            "again with `manage.py fingerprint_benchmarks`."
        ) from error


def _read(about: dict[str, Any], hashes: Shingles) -> BenchmarkFingerprints:
    repository = about["repository"]
    problems = tuple(
        BenchmarkProblem(repository, name, path, chain) for name, path, chain in about["problems"]
    )
    parts, start = [], 0
    for number, exact, loose, words, length in about["parts"]:
        key, path, shingles = problems[number].key, problems[number].path, hashes[start:][:length]
        parts.append(BenchmarkPart(key, path, exact, loose, words, shingles))
        start += length
    return BenchmarkFingerprints(
        repository, about["commit"], about["license"], about["rules"], problems, tuple(parts)
    )
