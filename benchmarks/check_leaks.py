"""Check the splits of an exported dataset for leaks and for balance, without the product's code.

    python benchmarks/check_leaks.py FOLDER

Reads FOLDER/pairs/{train,validation,test}.jsonl. Compares the Python sides and the Triton sides by
the Jaccard similarity of token 5-grams: comments and docstrings are dropped; every string, every
number and every identifier is one token; keywords and operators are kept. The exit code is 1 if a
record of validation or test has the Python text of a train record, or a Python side that is 0.8 or
more similar to one.
"""

import argparse
import io
import json
import keyword
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse

SPLITS = ("train", "validation", "test")
GRAM = 5
LEAK = 0.8
LAYOUT = {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
DROPPED = {tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    records = {name: read(folder / "pairs" / f"{name}.jsonl") for name in SPLITS}
    leaks = 0
    for name in SPLITS[1:]:
        leaks += compare(name, records[name], records["train"])
    repetition([record["triton_code"] for name in SPLITS for record in records[name]])
    for name in SPLITS:
        balance(name, records[name])
    print(f"{leaks} leaks." if leaks else "No leak.")
    return 1 if leaks else 0


def read(file: Path) -> list[dict[str, Any]]:
    with file.open() as lines:
        return [json.loads(line) for line in lines]


# --- Leaks ----------------------------------------------------------------------------------
def compare(name: str, held_out: Sequence[Any], train: Sequence[Any]) -> int:
    """Print how near the records of a split are to train. Return how many leak."""
    texts = {record["python_code"] for record in train}
    equal = np.array([record["python_code"] in texts for record in held_out], dtype=bool)
    leaking = equal
    for side in ("python_code", "triton_code"):
        best = nearest([r[side] for r in held_out], [r[side] for r in train])
        print(
            f"{name}, {side}: of {len(best)} records {(best >= 0.7).sum()} have a neighbor in "
            f"train of 0.7 or more, {(best >= LEAK).sum()} of {LEAK} or more; "
            f"the highest is {best.max(initial=0):.3f}"
        )
        if side == "python_code":
            leaking = leaking | (best >= LEAK)
    print(f"{name}: {equal.sum()} records have the Python text of a train record")
    return int(leaking.sum())


def repetition(texts: Sequence[str]) -> None:
    """Print how many of all Triton sides have a neighbor among the others."""
    best = nearest(texts, texts, themselves=True)
    print(
        f"all, triton_code: {(best >= 0.7).mean():.1%} have a neighbor of 0.7 or more, "
        f"{(best >= 0.8).mean():.1%} of 0.8 or more"
    )


def nearest(texts: Sequence[str], others: Sequence[str], *, themselves: bool = False) -> Any:
    """Return the similarity of each text to the nearest of the others.

    themselves -- both are the same texts, and none is compared with itself
    """
    best = np.zeros(len(texts))
    for start, near in similarities(texts, others):
        stop = start + len(near)
        if themselves:
            near[np.arange(stop - start), np.arange(start, stop)] = 0
        best[start:stop] = near.max(axis=1, initial=0)
    return best


def similarities(texts: Sequence[str], others: Sequence[str]) -> Iterator[tuple[int, Any]]:
    """Yield the similarities of some texts to all others, with the number of the first text."""
    numbers: dict[tuple[str, ...], int] = {}
    rows = incidence(texts, numbers), incidence(others, numbers)
    first, other = (
        scipy.sparse.csr_matrix(
            (np.ones(len(columns)), columns, starts), shape=(len(starts) - 1, len(numbers))
        )
        for columns, starts in rows
    )
    sizes, other_sizes = np.diff(first.indptr), np.diff(other.indptr)
    for start in range(0, len(texts), 500):
        stop = min(start + 500, len(texts))
        shared = (first[start:stop] @ other.T).toarray()
        yield start, shared / (sizes[start:stop, None] + other_sizes - shared)


def incidence(
    texts: Sequence[str], numbers: dict[tuple[str, ...], int]
) -> tuple[list[int], list[int]]:
    columns: list[int] = []
    starts = [0]
    for text in texts:
        found = tokens(text)
        count = max(1, len(found) - GRAM + 1)
        grams = {tuple(found[start : start + GRAM]) for start in range(count)}
        columns += [numbers.setdefault(gram, len(numbers)) for gram in grams]
        starts.append(len(columns))
    return columns, starts


def tokens(text: str) -> list[str]:
    read_tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    kept = [token for token in read_tokens if token.type not in DROPPED]
    result: list[str] = []
    begins = True
    for token, after in zip(kept, [*kept[1:], None], strict=True):
        if token.type in LAYOUT:
            begins = True
            continue
        alone = after is None or after.type == tokenize.NEWLINE
        if not (token.type == tokenize.STRING and begins and alone):
            result.append(plain(token))
        begins = False
    return result


def plain(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.STRING:
        return "string"
    if token.type == tokenize.NUMBER:
        return "number"
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return "name"
    return token.string


# --- Balance --------------------------------------------------------------------------------
def balance(name: str, records: Sequence[Any]) -> None:
    print(f"{name}: {len(records)} records")
    for what in ("operation_type", "difficulty", "recipe", "repository"):
        counts = Counter(value_of(record["metadata"], what) for record in records)
        named = Counter({value: count for value, count in counts.items() if value})
        listed = ", ".join(f"{value} {count}" for value, count in named.most_common(20))
        share = named.most_common(1)[0][1] / len(records) if named else 0
        print(f"  {what}: {listed or 'none'}; largest share {share:.1%}")


def value_of(metadata: dict[str, Any], what: str) -> str:
    if what == "repository":
        return str((metadata.get("provenance") or {}).get("repository") or "")
    return str(metadata.get(what) or "")


if __name__ == "__main__":
    sys.exit(main())
