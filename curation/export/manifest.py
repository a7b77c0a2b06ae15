"""MANIFEST.json: what was written, out of what, by which rules; no clock and no place in it."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from curation import __version__
from curation.export.draw import KINDS, Draw
from curation.export.folder import MANIFEST
from curation.export.lines import LineFile
from curation.export.mixing import Share, table
from curation.export.options import Options
from curation.export.splits import SPLITS
from curation.export.statistics import Statistics
from curation.tokens import ENCODING

SCHEMA = 1


def describe(
    folder: Path,
    drawn: Draw,
    options: Options,
    name: str,
    statistics: Statistics,
    records: Sequence[dict[str, Any]],
    beside: Sequence[LineFile],
    checks: Sequence[str],
) -> dict[str, Any]:
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
        "checks": list(checks),
        "records": {f"{kind}s": len(drawn.of(kind)) for kind in KINDS},
        "tokens": {f"{kind}s": statistics.tokens[kind] for kind in KINDS},
        "by_category": _by_category(statistics),
        "funnel": drawn.funnel(),
        "left_out": {
            f"{kind}s": dict(sorted(drawn.ledger.reasons(kind).items())) for kind in KINDS
        },
        "splits": splits(drawn, options),
        "benchmarks": drawn.coverage.as_json(),
        "categories": {f"{kind}s": statistics.as_json(kind) for kind in KINDS},
        "mixing": [share.as_json() for share in shares(drawn)],
        "files": sorted(files, key=lambda file: str(file["path"])),
    }


def _by_category(statistics: Statistics) -> dict[str, dict[str, int]]:
    """What the texts of the records add up to, and of all of them."""
    sizes = {name: asdict(size) for name, size in sorted(statistics.sizes.items())}
    whole = {
        what: sum(size[what] for size in sizes.values())
        for what in ("records", "lines", "bytes", "tokens")
    }
    return {**sizes, "total": whole}


def tools(options: Options) -> dict[str, str]:
    """What shapes the bytes, and nothing else: the same on every Python."""
    made_by = {"triton-curation": __version__, "tokens": ENCODING}
    return {**made_by, "pyarrow": version("pyarrow")} if "parquet" in options.formats else made_by


def shares(drawn: Draw) -> list[Share]:
    return table([drawn.of(kind) for kind in KINDS], drawn.sources)


def splits(drawn: Draw, options: Options) -> dict[str, dict[str, Any]]:
    """What was asked for, what came of it, and why where it is off by more than a hundredth."""
    found: dict[str, dict[str, Any]] = {}
    for kind in KINDS:
        picks = drawn.of(kind)
        counts = np.bincount(picks.splits, minlength=len(SPLITS)).tolist()
        whole = len(picks) or 1
        off = [
            split.value
            for split, count, asked in zip(SPLITS, counts, options.splits, strict=True)
            if len(picks) and abs(count / whole - asked / 100) > 0.01
        ]
        found[f"{kind}s"] = {
            split.value: {"asked": asked / 100, "records": count, "share": round(count / whole, 6)}
            for split, count, asked in zip(SPLITS, counts, options.splits, strict=True)
        }
        found[f"{kind}s"]["remark"] = (
            f"More than 1% off in {', '.join(off)}: families stay whole, and records stay where "
            "an earlier export put them."
            if off
            else None
        )
    return found


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
