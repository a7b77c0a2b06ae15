"""MANIFEST.json: files, inputs and rules of an export, without times and places."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from curation import __version__
from curation.export.columns import SCHEMA
from curation.export.folder import MANIFEST
from curation.export.lines import LineFile
from curation.export.mixing import SourceShare, table
from curation.export.options import ExportOptions
from curation.export.plan import KINDS, ExportPlan
from curation.export.records import PALLAS
from curation.export.splits import ENOUGH_GROUPS, FIFTH, SPLITS
from curation.export.statistics import Statistics, by_split
from curation.models import Split
from curation.tokens import tokenizer_of

SPLIT_RULE = (
    "The items of a group are in one split. These are grouped: near-duplicates; versions of one "
    "item; a pair and the kernel that it was drafted from; pairs with the same operations in the "
    "same order in their Python code; pairs with Python code of nearly the same structure (names "
    "and numbers ignored, a Jaccard similarity of 0.8 over runs of five tokens). A recipe is not "
    "a group. Each operation type follows the requested shares as near as whole groups allow. Each "
    f"operation type and each difficulty with at least {ENOUGH_GROUPS} groups is in every "
    "split. No recipe or repository (or origin, for items without either) fills more than a fifth "
    "of validation or of test, if there are others to fill it with."
)


def describe(
    folder: Path,
    plan: ExportPlan,
    options: ExportOptions,
    name: str,
    statistics: Statistics,
    records: Sequence[dict[str, Any]],
    beside: Sequence[LineFile],
    checks: Sequence[str],
) -> dict[str, Any]:
    tokenizer = tokenizer_of(options.tokenizer)
    listed = {file["path"] for file in records}
    known = {file.as_json(folder)["path"]: file.as_json(folder) for file in beside}
    others = sorted(
        path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()
    )
    kept = [known.get(path) or _file(folder, path) for path in others if path not in listed]
    files = [{**file, "kept": False} for file in records] + [{**f, "kept": True} for f in kept]
    return {
        "schema": SCHEMA,
        "release": name or None,
        "options": options.as_json(),
        "seed": options.seed,
        "tools": tools(options),
        "tokenizer": {"name": tokenizer.name, "sha256": tokenizer.sha256 or None},
        "checks": list(checks),
        "records": _with_pallas(
            {f"{kind}s": len(plan.of(kind)) for kind in KINDS}, statistics.pallas.records
        ),
        "tokens": _with_pallas(
            {f"{kind}s": statistics.tokens[kind] for kind in KINDS}, statistics.pallas.tokens
        ),
        "by_category": _by_category(statistics),
        "funnel": plan.funnel(),
        "left_out": {f"{kind}s": dict(sorted(plan.ledger.reasons(kind).items())) for kind in KINDS},
        "split_rule": SPLIT_RULE,
        "splits": splits(plan, options),
        "benchmarks": plan.coverage.as_json(),
        "held_out_recipes": plan.held_out.as_json() if plan.held_out else None,
        "categories": {f"{kind}s": statistics.as_json(kind) for kind in KINDS},
        "mixing": [share.as_json() for share in shares(plan)],
        "files": sorted(files, key=lambda file: str(file["path"])),
    }


def _with_pallas(numbers: dict[str, int], pallas: int) -> dict[str, int]:
    """Return the counts with the Pallas kernels apart, if there are any."""
    if not pallas:
        return numbers
    return {**numbers, "kernels": numbers["kernels"] - pallas, PALLAS: pallas}


def _by_category(statistics: Statistics) -> dict[str, dict[str, int]]:
    """Return the totals of the records' texts, by category and in all."""
    sizes = {name: asdict(size) for name, size in sorted(statistics.sizes.items())}
    whole = {
        what: sum(size[what] for size in sizes.values())
        for what in ("records", "lines", "bytes", "tokens")
    }
    return {**sizes, "total": whole}


def tools(options: ExportOptions) -> dict[str, str]:
    """Return the versions that shape the bytes. They are the same on every Python."""
    made_by = {"triton-curation": __version__, "tokens": str(tokenizer_of(options.tokenizer))}
    return {**made_by, "pyarrow": version("pyarrow")} if "parquet" in options.formats else made_by


def shares(plan: ExportPlan) -> list[SourceShare]:
    return table([plan.of(kind) for kind in KINDS], plan.sources)


def splits(plan: ExportPlan, options: ExportOptions) -> dict[str, dict[str, Any]]:
    """Return the requested and the actual splits of each kind of record."""
    result: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        selected = plan.of(kind)
        whole = len(selected) or 1
        rows: dict[str, Any] = {}
        remarks: list[str] = []
        off: list[str] = []
        counted = by_split(selected, plan.profiles)
        for split, requested, counts in zip(SPLITS, options.splits, counted, strict=True):
            records = sum(counts["operation_type"].values())
            if len(selected) and abs(records / whole - requested / 100) > 0.01:
                off.append(split.value)
            rows[split.value] = {
                "asked": requested / 100,
                "records": records,
                "share": round(records / whole, 6),
                "operation_type": _ordered(counts["operation_type"]),
                "difficulty": _ordered(counts["difficulty"]),
                "recipe": _largest(counts["recipe"], records),
                "repository": _largest(counts["repository"], records),
            }
            name, most = max(counts["source"].items(), key=lambda c: (c[1], c[0]), default=("", 0))
            if split != Split.TRAIN and most > max(1, FIFTH * records):
                remarks.append(
                    f"In {split.value}, {name} fills {most / records:.0%}: there are too few "
                    "records of other recipes, repositories and origins to fill it with."
                )
        if off:
            remarks.insert(
                0,
                f"More than 1% off in {', '.join(off)}: groups stay whole, and records stay where "
                "an earlier export put them.",
            )
        result[f"{kind}s"] = {**rows, "remark": " ".join(remarks) or None}
    return result


def _ordered(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _largest(counts: Counter[str], records: int) -> dict[str, Any]:
    ordered = _ordered(counts)
    return {
        "number": len(ordered),
        "largest_share": round(max(ordered.values(), default=0) / (records or 1), 6),
        "top_ten": dict(list(ordered.items())[:10]),
    }


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    text = json.dumps(manifest, indent=1, ensure_ascii=False)
    (folder / MANIFEST).write_bytes(f"{text}\n".encode())


def _file(folder: Path, path: str) -> dict[str, Any]:
    data = (folder / path).read_bytes()
    return {
        "path": path,
        "bytes": len(data),
        "lines": data.count(b"\n"),
        "records": 0,
        "tokens": 0,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
