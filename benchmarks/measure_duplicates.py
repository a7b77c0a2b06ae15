"""Recall and speed of the search for near-duplicates among real kernels, and their overlap with
benchmarks.

    python benchmarks/measure_duplicates.py MIRRORS [--kernels FILE]

MIRRORS holds one folder `owner+name` for each repository, with a bare git directory `repo` in it.
FILE keeps the extracted kernels for the next run.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from datasketch import MinHash
from scipy.sparse import csr_matrix

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.mirrors import extractions, python_files
from curation.similarity.contamination import BenchmarkText, fingerprint_parts, index, matches
from curation.similarity.duplicates import FLOOR_WORDS, THRESHOLD
from curation.similarity.fingerprint import Fingerprint, fingerprints
from curation.similarity.minhash import PERMUTATIONS, SEED, shingle_hashes, signature
from curation.similarity.shingles import Shingles, jaccard, shingles
from curation.tokens import count_many

BENCHMARKS = {
    "thunlp+TritonBench": ("data/TritonBench_G_v1/", "data/TritonBench_T_v1/"),
    "ScalingIntelligence+KernelBench": ("KernelBench/level",),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--kernels", type=Path)
    options = parser.parse_args()
    rows = _rows(options.mirrors, options.kernels)
    texts = list({row["source"]: None for row in rows})
    print(
        f"{len(rows)} kernels, {len(texts)} distinct, {statistics.mean(map(len, texts)):.0f} bytes"
    )
    _speed(texts)
    prints = _fingerprints(texts)
    _recall(prints)
    _contamination(options.mirrors, rows)


def _rows(mirrors: Path, kept: Path | None) -> list[dict[str, str]]:
    if kept is not None and kept.exists():
        return [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    rows = [
        {
            "repository": repository,
            "path": item.kernel.path,
            "name": item.kernel.name,
            "source": item.kernel.source,
            "unit": item.unit.source,
        }
        for repository, item in extractions(mirrors)
    ]
    if kept is not None:
        kept.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return rows


def _speed(texts: Sequence[str]) -> None:
    """CPU time of one process, ours and datasketch's from the very same shingles."""
    rates = []
    for _ in range(5):
        start = time.process_time()
        matches = shingles(texts)
        middle = time.process_time()
        list(map(signature, matches))
        end = time.process_time()
        rates.append((len(texts) / (end - start), len(texts) / (end - middle)))
    print(f"text to signature {statistics.median(r for r, _ in rates):8.0f} kernels/s, median of 5")
    print(f"  shingles to signature {statistics.median(r for _, r in rates):8.0f}")
    sample = matches[:1000]
    hashes = [shingle_hashes(each).tolist() for each in sample]
    model = MinHash(PERMUTATIONS, seed=SEED, scheme="affine32", hashfunc=int)
    start = time.process_time()
    theirs = [_theirs(each, model) for each in hashes]
    print(f"  datasketch update_batch {len(sample) / (time.process_time() - start):8.0f}")
    same = all(map(np.array_equal, map(signature, sample), theirs))
    print(f"  bit for bit the same: {same}")
    start = time.process_time()
    for each in hashes[:200]:
        one = MinHash(PERMUTATIONS, seed=SEED, scheme="affine32", hashfunc=int)
        for value in each:
            one.update(value)
    print(f"  datasketch update {200 / (time.process_time() - start):8.0f}")
    start = time.process_time()
    tokens = sum(count_many(texts))
    print(f"tokens {tokens / (time.process_time() - start) / 1e6:.2f} M/s, {tokens} in all")


def _theirs(hashes: list[int], model: MinHash) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    one = model.copy()
    one.update_batch(hashes)
    values: np.ndarray[tuple[int], np.dtype[np.uint32]] = one.hashvalues
    return values


def _fingerprints(texts: Sequence[str]) -> list[Fingerprint]:
    start = time.process_time()
    prints = fingerprints(texts)
    rate = len(texts) / (time.process_time() - start)
    print(f"whole fingerprints, with the syntax hash, {rate:8.0f} kernels/s")
    return prints


def _recall(prints: Sequence[Fingerprint]) -> None:
    fit = [each for each in prints if each.words >= FLOOR_WORDS]
    truth = brute_force([each.shingles for each in fit], THRESHOLD)
    start = time.process_time()
    candidates = _candidates(fit)
    matches = {
        pair for pair in candidates if jaccard(*(fit[n].shingles for n in pair)) >= THRESHOLD
    }
    seconds = time.process_time() - start
    right = len(matches & truth.keys())
    print(
        f"{len(fit)} kernels of {FLOOR_WORDS} words or more, {len(truth)} true pairs at {THRESHOLD}"
    )
    print(f"  recall {right / len(truth):.4%}, precision {right / len(matches):.4%}")
    print(f"  {len(candidates)} candidates verified, {len(candidates) / seconds:.0f}/s")
    edge = {pair for pair, similarity in truth.items() if similarity < THRESHOLD + 0.05}
    recall = len(matches & edge) / len(edge)
    print(f"  recall between {THRESHOLD} and {THRESHOLD + 0.05}: {recall:.4%}")


def brute_force(sets: Sequence[Shingles], threshold: float) -> dict[tuple[int, int], float]:
    """Every pair that is near, by one sparse product."""
    every = np.concatenate(sets)
    _, columns = np.unique(every, return_inverse=True)
    sizes = np.array([len(each) for each in sets])
    starts = np.concatenate(([0], np.cumsum(sizes)))
    ones = np.ones(len(every), np.int32)
    matrix = csr_matrix((ones, columns, starts))
    pairs: dict[tuple[int, int], float] = {}
    for start in range(0, len(sets), 500):
        shared = (matrix[start : start + 500] @ matrix.T).tocoo()
        rows = shared.row + start
        union = sizes[rows] + sizes[shared.col] - shared.data
        near = (shared.data / union >= threshold) & (rows < shared.col)
        for row, col, similarity in zip(
            rows[near].tolist(),
            shared.col[near].tolist(),
            (shared.data / union)[near].tolist(),
            strict=True,
        ):
            pairs[row, col] = similarity
    return pairs


def _candidates(prints: Sequence[Fingerprint]) -> set[tuple[int, int]]:
    met: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, each in enumerate(prints):
        for slot in enumerate(each.bands):
            met[slot].append(number)
    return {
        (one, other)
        for numbers in met.values()
        for place, other in enumerate(numbers)
        for one in numbers[:place]
    }


def _contamination(mirrors: Path, rows: Sequence[dict[str, str]]) -> None:
    texts = []
    for name, prefixes in BENCHMARKS.items():
        for prefix in prefixes:
            git = mirrors / name / "repo"
            files = python_files(git, prefix) if git.exists() else {}
            for path, data in files.items():
                # TritonBench's files hold the problem and, behind a rule, its test.
                text = data.decode("utf-8", "replace").split("#" * 100)[0]
                texts.append(BenchmarkText(f"{name}/{path}", path, text))
    if not texts:
        return
    benchmark = index(fingerprint_parts(texts))
    distinct = {r["source"]: r for r in rows if r["repository"] not in BENCHMARKS}
    sample = random.Random(1).sample(sorted(distinct), min(2000, len(distinct)))  # noqa: S311
    start = time.process_time()
    found = [matches([text, distinct[text]["unit"]], benchmark) for text in sample]
    each = (time.process_time() - start) / len(sample)
    methods = Counter(matched[0].method for matched in found if matched)
    print(
        f"{len(texts)} benchmark files; of {len(sample)} kernels {dict(methods)}, "
        f"{each * 1e3:.1f} ms each"
    )
    own = [text.text for text in texts if "triton.jit" in text.text][:300]
    seen = sum(bool(matches(text, benchmark)) for text in own)
    print(f"  of {len(own)} Triton problems given verbatim, {seen} are found")


if __name__ == "__main__":
    main()
