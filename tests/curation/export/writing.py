"""What the tests of exports share: rows to export, and ways to look at what was written."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management import call_command

from curation.export.schema import Columns
from curation.models import Kernel, License, LicenseVerdict, Pair, Repository
from tests.factories import (
    a_license,
    a_provenance,
    a_repository,
    a_source_file,
    an_approved_kernel,
    an_approved_pair,
)


def export(out: Path, *arguments: str) -> Path:
    """Export, as a release too: no benchmark is there for a test's own rows."""
    if "--release" in arguments:
        arguments = (*arguments, "--without-benchmarks")
    call_command("export_dataset", "--out", str(out), *arguments, verbosity=0)
    return out


def records(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def every(folder: Path, kind: str) -> dict[str, list[dict[str, Any]]]:
    """The records of each split."""
    return {
        split: records(folder / kind / f"{split}.jsonl")
        for split in ("train", "validation", "test")
    }


def identities(folder: Path, kind: str = "kernels") -> dict[str, str]:
    """The split of each record."""
    return {
        record["id"] if kind == "pairs" else record["metadata"]["id"]: split
        for split, found in every(folder, kind).items()
        for record in found
    }


def reasons(folder: Path) -> dict[str, str]:
    return {line["name"]: line["reason"] for line in records(folder / "REJECTED.jsonl")}


def manifest(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "MANIFEST.json").read_text())
    return document


def hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def a_seen_kernel(
    repository: Repository | None = None, license: License | None = None, **over: Any
) -> Kernel:
    """Approved, and standing somewhere that gives it away."""
    license = license or a_license()
    kernel = an_approved_kernel(license=license, **over)
    a_provenance(
        kernel=kernel,
        source_file=a_source_file(repository=repository or a_repository(stars=7)),
        license=license,
        license_verdict=LicenseVerdict.PERMISSIVE,
        copyrights=["Copyright (c) 2024 Ada"],
    )
    return kernel


def some_rows(kernels: int = 20, pairs: int = 20) -> tuple[list[Kernel], list[Pair]]:
    mit = a_license(expression="MIT", text="Permission is hereby granted.\n")
    repository = a_repository(stars=7)
    return (
        [a_seen_kernel(repository, mit) for _ in range(kernels)],
        [an_approved_pair(license=mit) for _ in range(pairs)],
    )


def differing(columns: Columns, record: Mapping[str, object], at: str = "") -> list[str]:
    """The places at which a record's keys differ from the columns."""
    wrong = [] if list(columns) == list(record) else [at or "record"]
    for name, column in columns.items():
        inner = record.get(name)
        if isinstance(column, dict) and isinstance(inner, Mapping):
            wrong += differing(column, inner, f"{at}.{name}")
    return wrong
