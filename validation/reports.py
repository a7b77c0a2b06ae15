"""Exchange with a machine that has only the harness: export entries, import reports.

An entry's id is its pair's content hash, and each report has the hash of the texts that were
checked. A report whose hash differs from the pair's texts is ignored.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from curation.errors import CurationError
from curation.models import Device, Pair, RunState, ValidationRun
from validation.checkers import CHECKERS
from validation.equivalence import entry, finding
from validation.harness.report import Check, Report, Verdict, presentable
from validation.jobs import store_finding

# Option of a run with the sha256 of the report from which it was imported.
IMPORTED = "report_sha256"


@dataclass(slots=True)
class ImportedReport:
    """Runs of an imported report, and a message for each ignored line."""

    runs: list[ValidationRun] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Line:
    where: str
    report: Report
    texts: str


def write_entries(pairs: Iterable[Pair], path: Path) -> int:
    """Write a line for each pair, for `python -m validation.harness`. Return their number."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for pair in pairs:
            file.write(json.dumps(_record(pair)) + "\n")
            count += 1
    return count


def _record(pair: Pair) -> dict[str, Any]:
    return {
        "id": pair.content_hash,
        "python_code": pair.python_code,
        "triton_code": pair.triton_code,
        "test_code": pair.test_code,
        "metadata": {
            "entry_point": pair.entry_point,
            "differentiable": pair.differentiable,
            "origin": str(pair.origin),
            "min_triton": pair.min_triton,
        },
    }


def import_report(path: Path) -> ImportedReport:
    """Store a report's verdicts, as one run for each environment. On an error, store nothing.

    Raises CurationError if the report can't be read, or was imported before.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CurationError(f"{path} can't be read: {error.strerror}.") from None
    digest = hashlib.sha256(data).hexdigest()
    if before := ValidationRun.objects.filter(**{f"options__{IMPORTED}": digest}).first():
        raise CurationError(f"{path} was imported already, as {before.label}.")
    result = ImportedReport()
    by_environment: dict[str, dict[Pair, Report]] = {}
    for line, pair in _matched(_lines(data, result.left_out), result.left_out):
        reports = by_environment.setdefault(json.dumps(line.report.environment), {})
        if pair in reports:
            result.left_out.append(f"{line.where}: {pair} stands in an earlier line too.")
        else:
            reports[pair] = line.report
    with transaction.atomic():
        for environment, reports in by_environment.items():
            run = _stored(json.loads(environment), reports, path.name, digest)
            result.runs.append(run)
    return result


def _lines(data: bytes, left_out: list[str]) -> Iterator[_Line]:
    for number, text in enumerate(data.split(b"\n"), start=1):
        if not text.strip():
            continue
        where = f"line {number}"
        try:
            record = json.loads(text)
            report = _report(record)
            device = report.environment["device"]
            if device not in CHECKERS or CHECKERS[Device(device)].model is not Pair:
                raise ValueError(f"{device!r} is no device that checks pairs")
            line = _Line(where, report, str(record["texts"]))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            left_out.append(
                f"{where} is no report of this harness ({type(error).__name__}: {error})."
            )
        else:
            yield line


def _report(record: dict[str, Any]) -> Report:
    return Report(
        id=str(record["id"]),
        verdict=Verdict(record["verdict"]),
        message=str(presentable(record["message"])),
        checks=tuple(
            Check(
                name=str(check["name"]),
                verdict=None if check["verdict"] is None else Verdict(check["verdict"]),
                words=str(presentable(check["words"])),
                numbers=presentable(dict(check["numbers"])),
            )
            for check in record["checks"]
        ),
        seconds=presentable(dict(record["seconds"])),
        environment=presentable(dict(record["environment"])),
        figures=presentable(dict(record["figures"])),
    )


def _matched(lines: Iterable[_Line], left_out: list[str]) -> Iterator[tuple[_Line, Pair]]:
    """Yield each line that fits a pair, with the pair. Add a message for each other line."""
    for line in lines:
        pair = Pair.objects.filter(content_hash=line.report.id).first()
        if pair is None:
            left_out.append(f"{line.where}: no pair has the content {line.report.id[:12]!r}.")
        elif entry(pair).digest != line.texts:
            left_out.append(f"{line.where}: other texts than those of {pair} were checked.")
        elif line.report.verdict is Verdict.PASSED and not line.report.figures.get("grades"):
            names = ", ".join(check.name for check in line.report.checks)
            left_out.append(f"{line.where}: only a part of the checks was run on {pair}: {names}.")
        else:
            yield line, pair


def _stored(
    environment: dict[str, Any], reports: dict[Pair, Report], file_name: str, digest: str
) -> ValidationRun:
    now = timezone.now()
    run = ValidationRun.objects.create(
        device=environment["device"],
        environment=environment,
        batch=[["pair", pair.pk, pair.content_hash] for pair in reports],
        total=len(reports),
        done=len(reports),
        options={IMPORTED: digest},
        state=RunState.SUCCEEDED,
        stage="done",
        message=f"Imported from {file_name}.",
        started_at=now,
        finished_at=now,
    )
    for pair, report in reports.items():
        store_finding(run, pair, finding(report))
    return run
