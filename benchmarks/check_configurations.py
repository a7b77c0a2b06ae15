"""Check that the configurations of an exported dataset agree on the splits; print their balance.

    python -m benchmarks.check_configurations FOLDER

Reads the configurations that the card names, the JSON arrays of torchtune/ and the lines of
reviews/. It uses no code of the product. A finding is one of these:

- A text or an id of a pair stands in a record of another split than the pair's. Texts in fences,
  such as the faulty code of a repair, count like whole columns. The same holds for kernels.
- Two splits of a configuration have an equal record.
- A pair overlaps the lines of a kernel's file, and the kernel is in another split.
- An operation type with at least 20 groups of similar Python sides is missing from a split.
- A record has a column for its license and no license.

Columns that are empty in all records are printed, too. They may be right: a generated pair has no
commit.

`held_out_recipes` has splits of its own, so it is compared with itself only. The exit code is 1 if
there is a finding. `check_leaks.py` measures how near the splits of the pairs are to each other.
"""

import argparse
import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse
import yaml
from scipy.sparse.csgraph import connected_components

from benchmarks.check_leaks import LEAK, SPLITS, similarities

HELD_OUT = "held_out_recipes"
ENOUGH_GROUPS = 20
BALANCED = ("operation_type", "difficulty", "origin")
FENCE = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
# Configurations with all pairs.
WHOLE = ("pairs", "alpaca", "kernelbook")

Record = dict[str, Any]
Configuration = dict[str, list[Record]]
"""The records of each split."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    configurations = read_configurations(folder)
    homes = homes_of(configurations)
    pairs = {r["id"]: r for records in configurations["pairs"].values() for r in records}
    findings = list(overlaps(configurations))
    for name, splits in configurations.items():
        print(f"{name}: {', '.join(f'{split} {len(rows)}' for split, rows in splits.items())}")
        findings += [f"{name}: {text}" for text in repeated(splits)]
        if name != HELD_OUT:
            findings += [f"{name}: {text}" for text in strays(splits, homes)]
        findings += [f"{name}: {text}" for text in unlicensed(splits)]
        print(f"  empty columns: {', '.join(empty_columns(splits)) or 'none'}")
        print_balance(splits, pairs)
        if name in WHOLE:
            findings += [f"{name}: {text}" for text in missing_types(splits, configurations)]
    for text in findings:
        print(f"FINDING {text}")
    print(f"{len(findings)} findings." if findings else "No finding.")
    return 1 if findings else 0


# --- Reading --------------------------------------------------------------------------------
def read_configurations(folder: Path) -> dict[str, Configuration]:
    """Return the records of each configuration by split, also of files that the card lacks."""
    result: dict[str, Configuration] = {}
    header = (folder / "README.md").read_text().split("---\n")[1]
    for entry in yaml.safe_load(header)["configs"]:
        files = {file["split"]: folder / file["path"] for file in entry["data_files"]}
        result[entry["config_name"]] = {split: lines(file) for split, file in files.items()}
    for file in sorted(folder.glob("torchtune/*.json")):
        name, _, split = file.stem.rpartition("_")
        result.setdefault(f"torchtune/{name}", {})[split] = json.loads(file.read_text())
    if "torchtune/triton_functions" in result:
        train = json.loads((folder / "triton_functions.json").read_text())
        result["torchtune/triton_functions"]["train"] = train
    for file in sorted(folder.glob("reviews/*.jsonl")):
        by_split: Configuration = defaultdict(list)
        for record in lines(file):
            by_split[record["split"]].append(record)
        result[f"reviews/{file.stem}"] = dict(by_split)
    return result


def lines(file: Path) -> list[Record]:
    with file.open() as text:
        return [json.loads(line) for line in text]


def strings(value: Any) -> Iterator[str]:
    """Yield all strings in a record, and the texts in their fences."""
    if isinstance(value, str):
        yield value.strip()
        for match in FENCE.finditer(value):
            yield match[1].strip()
    elif isinstance(value, dict):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, list):
        for part in value:
            yield from strings(part)


# --- Splits ---------------------------------------------------------------------------------
def homes_of(configurations: dict[str, Configuration]) -> dict[str, str]:
    """Return the split of each id and of each text of a pair, a kernel and a Pallas kernel."""
    homes = {}
    for split, records in configurations["pairs"].items():
        for record in records:
            for column in ("id", "python_code", "triton_code"):
                homes[record[column].strip()] = split
    for name in ("kernels", "pallas"):
        for split, records in configurations.get(name, {}).items():
            for record in records:
                homes[record["metadata"]["id"]] = split
                homes[record["input"].strip()] = split
    return homes


def strays(splits: Configuration, homes: dict[str, str]) -> Iterator[str]:
    """Yield the records with a text or an id of another split, and those with none of any."""
    for split, records in splits.items():
        for number, record in enumerate(records):
            found = {homes[text] for text in strings(record) if text in homes}
            if wrong := found - {split}:
                yield f"record {number} of {split} has content of {', '.join(sorted(wrong))}"
            if not found:
                yield f"record {number} of {split} has no text and no id of any pair or kernel"


def repeated(splits: Configuration) -> Iterator[str]:
    seen: dict[str, str] = {}
    for split, records in splits.items():
        for number, record in enumerate(records):
            content = {name: value for name, value in record.items() if name != "metadata"}
            text = json.dumps(content, sort_keys=True)
            if seen.setdefault(text, split) != split:
                yield f"record {number} of {split} is in {seen[text]} too"


def overlaps(configurations: dict[str, Configuration]) -> Iterator[str]:
    """Yield the pairs that stand where a kernel of another split does."""
    kernels = defaultdict(list)
    for split, records in configurations.get("kernels", {}).items():
        for record in records:
            if place := place_of(record):
                kernels[place[:3]].append((place[3], split, record["metadata"]["id"]))
    for split, records in configurations["pairs"].items():
        for record in records:
            if not (place := place_of(record)):
                continue
            for other, of, name in kernels[place[:3]]:
                if of != split and other[0] <= place[3][1] and place[3][0] <= other[1]:
                    yield f"{record['id']} of {split} overlaps the kernel {name} of {of}"


def place_of(record: Record) -> tuple[str, str, str, list[int]] | None:
    place = record["metadata"]["provenance"]
    if not (place["repository"] and place["path"] and place["lines"]):
        return None
    return place["repository"], place["commit"], place["path"], place["lines"]


# --- Columns --------------------------------------------------------------------------------
def unlicensed(splits: Configuration) -> Iterator[str]:
    for split, records in splits.items():
        for number, record in enumerate(records):
            if not dict(leaves("", record)).get("metadata.license", "no such column"):
                yield f"record {number} of {split} has no license"


def empty_columns(splits: Configuration) -> list[str]:
    values: dict[str, bool] = {}
    for records in splits.values():
        for record in records:
            for name, value in leaves("", record):
                values[name] = values.get(name, False) or value not in (None, "", [])
    return [name for name, filled in values.items() if not filled]


def leaves(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield from leaves(f"{name}.{key}" if name else key, part)
    else:
        yield name, value


# --- Balance --------------------------------------------------------------------------------
def print_balance(splits: Configuration, pairs: dict[str, Record]) -> None:
    """Print the operation types by difficulty and origin of each split."""
    for split, records in splits.items():
        known = [facts for record in records if (facts := facts_of(record, pairs))]
        counts = Counter(tuple(str(facts[name]) for name in BALANCED) for facts in known)
        for (operation, difficulty, origin), count in sorted(counts.items()):
            print(f"  {split}: {operation}, {difficulty}, {origin}: {count}")


def facts_of(record: Record, pairs: dict[str, Record]) -> Record | None:
    """Return the metadata with the operation type: the record's own, or its pair's."""
    metadata = record.get("metadata") or {}
    if "operation_type" in metadata:
        return dict(metadata)
    names = [record.get("record"), metadata.get("pair"), metadata.get("chosen")]
    names += (metadata.get("pairs") or [])[-1:]
    return next((pairs[name]["metadata"] for name in names if name in pairs), None)


def missing_types(splits: Configuration, configurations: dict[str, Configuration]) -> Iterator[str]:
    """Yield the operation types with many groups of similar Python sides that a split lacks."""
    by_python = {
        record["python_code"].strip(): record["metadata"]["operation_type"]
        for records in configurations["pairs"].values()
        for record in records
    }
    texts: dict[str, set[str]] = defaultdict(set)
    present: dict[str, set[str]] = defaultdict(set)
    for split, records in splits.items():
        for record in records:
            python = record.get("python_code") or FENCE.findall(record["input"])[0]
            texts[by_python[python.strip()]].add(python)
            present[by_python[python.strip()]].add(split)
    for operation, sides in sorted(texts.items()):
        number = count_groups(sorted(sides))
        if number >= ENOUGH_GROUPS and (missing := set(SPLITS) - present[operation]):
            yield f"{operation}, {number} groups, is missing from {', '.join(sorted(missing))}"


def count_groups(texts: Sequence[str]) -> int:
    """Return the number of groups that chains of near texts connect."""
    near = np.vstack([block >= LEAK for _, block in similarities(texts, texts)])
    count, _ = connected_components(scipy.sparse.csr_matrix(near))
    return int(count)


if __name__ == "__main__":
    sys.exit(main())
