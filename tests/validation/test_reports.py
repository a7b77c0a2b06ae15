"""Pairs that a machine without the site checks: entries are written, reports are imported."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from curation.errors import CurationError
from curation.identity import content_hash
from curation.models import (
    Device,
    Outcome,
    Pair,
    PairOrigin,
    ValidationCheck,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from tests.factories import a_pair, a_validation_result, a_validation_run
from validation.harness.__main__ import main
from validation.harness.entry import read_entries
from validation.reports import import_report, write_entries
from validation.run_requests import without_verdict

pytestmark = pytest.mark.django_db

TEXTS = ("python_code", "triton_code", "test_code")


def stored_pair(number: int, **over: Any) -> Pair:
    """A pair whose content hash belongs to its texts, as in a real installation."""
    texts = {name: f"{name} = {number}\n" for name in TEXTS}
    return a_pair(content_hash=content_hash(*texts.values()), **texts, **over)


def validate(*arguments: str) -> str:
    out = StringIO()
    call_command("validate", *arguments, stdout=out)
    return out.getvalue()


def report_of(pairs: list[Pair], tmp_path: Path, **over: Any) -> list[dict[str, Any]]:
    """Return the lines that the harness writes about the pairs, with other values in `over`."""
    write_entries(pairs, tmp_path / "entries.jsonl")
    return [
        {
            "id": entry.id,
            "texts": entry.digest,
            "verdict": "passed",
            "message": "9 checks",
            "checks": [
                {"name": "accuracy", "verdict": "passed", "words": "exact", "numbers": {"cases": 4}}
            ],
            "seconds": {"total": 1.5},
            "environment": {"device": "cuda", "gpu": "NVIDIA H100", "triton": "3.6.0"},
            "figures": {"grades": {"accuracy": "exact"}},
            **over,
        }
        for entry in read_entries(tmp_path / "entries.jsonl")
    ]


def written(lines: list[dict[str, Any]], tmp_path: Path) -> Path:
    path = tmp_path / "report.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


# --- Entries --------------------------------------------------------------------------------
def test_pairs_without_a_verdict_of_the_device_are_written(tmp_path: Path) -> None:
    one, other = stored_pair(1), stored_pair(2)
    run = a_validation_run(device=Device.CUDA)
    a_validation_result(pair=other, run=run, content_hash=other.content_hash)

    said = validate("--pending", "--device", "cuda", "--write", str(tmp_path / "e.jsonl"))

    assert [entry.id for entry in read_entries(tmp_path / "e.jsonl")] == [one.content_hash]
    assert said.startswith("1 pair written")
    assert ValidationRun.objects.get() == run


def test_an_entry_is_checked_elsewhere_as_it_is_here(tmp_path: Path) -> None:
    recipe = stored_pair(1, min_triton="3.2", differentiable=True)
    real = stored_pair(2, origin=PairOrigin.REAL_WORLD)
    write_entries([recipe, real], tmp_path / "e.jsonl")

    first, second = read_entries(tmp_path / "e.jsonl")

    assert (first.min_triton, first.differentiable, first.origin) == ("3.2", True, "template")
    assert second.origin == "real-world"
    assert [getattr(second, name) for name in TEXTS] == [getattr(real, name) for name in TEXTS]


def test_only_pairs_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="Only pairs"):
        validate("--pending", "--device", "compiler", "--write", str(tmp_path / "e.jsonl"))


def test_the_harness_names_the_texts_of_each_report(tmp_path: Path) -> None:
    pair = stored_pair(1)
    write_entries([pair], tmp_path / "e.jsonl")

    main([f"{tmp_path}/e.jsonl", "--device", "interpreter", "--report", f"{tmp_path}/r.jsonl"])
    imported = import_report(tmp_path / "r.jsonl")

    (entry,) = read_entries(tmp_path / "e.jsonl")
    assert json.loads((tmp_path / "r.jsonl").read_text())["texts"] == entry.digest
    assert imported.left_out == []
    assert pair.validationresults.get().verdict == Verdict.ERROR


# --- Reports --------------------------------------------------------------------------------
def test_a_report_becomes_a_run_with_its_device_and_versions(tmp_path: Path) -> None:
    pair = stored_pair(1)
    path = written(
        report_of([pair], tmp_path, figures={"speedup": 2.5, "grades": {"accuracy": "exact"}}),
        tmp_path,
    )

    said = validate("--import-report", str(path))

    run, result = ValidationRun.objects.get(), ValidationResult.objects.get()
    assert (run.state, run.device, run.done, run.total) == ("succeeded", Device.CUDA, 1, 1)
    assert run.environment["triton"] == "3.6.0"
    assert (result.pair, result.verdict, result.seconds) == (pair, Verdict.PASSED, 1.5)
    assert result.content_hash == pair.content_hash
    check = ValidationCheck.objects.get()
    assert (check.name, check.outcome, check.figures) == ("accuracy", Outcome.PASSED, {"cases": 4})
    pair.refresh_from_db()
    assert pair.speedup == 2.5
    assert not without_verdict(Pair.objects.all(), Device.CUDA).exists()
    assert "1 verdict" in said and "1 passed" in said


def test_each_environment_of_a_report_becomes_a_run(tmp_path: Path) -> None:
    lines = report_of([stored_pair(1), stored_pair(2)], tmp_path)
    lines[1]["environment"] = {"device": "interpreter", "triton": "3.7.1"}

    import_report(written(lines, tmp_path))

    runs = ValidationRun.objects.order_by("device")
    assert [(run.device, run.total) for run in runs] == [("cuda", 1), ("interpreter", 1)]


def test_a_report_of_a_part_of_the_checks_proves_nothing(tmp_path: Path) -> None:
    pair = stored_pair(1)
    (line,) = report_of([pair], tmp_path, figures={"grades": {}})

    imported = import_report(written([line], tmp_path))

    assert imported.left_out == [f"line 1: only a part of the checks was run on {pair}: accuracy."]
    assert not ValidationResult.objects.exists()


def test_a_report_about_other_texts_is_left_out(tmp_path: Path) -> None:
    pair = stored_pair(1)
    lines = report_of([pair], tmp_path, texts="0" * 64)

    imported = import_report(written(lines, tmp_path))

    assert imported.left_out == [f"line 1: other texts than those of {pair} were checked."]
    assert not ValidationRun.objects.exists()


def test_a_report_about_a_pair_that_changed_is_left_out(tmp_path: Path) -> None:
    pair = stored_pair(1)
    lines = report_of([pair], tmp_path)
    Pair.objects.update(content_hash="1" * 64)

    imported = import_report(written(lines, tmp_path))

    assert imported.left_out == [
        f"line 1: no pair has the content {lines[0]['id'][:12]!r}.",
    ]


@pytest.mark.parametrize(
    "over",
    [
        {"verdict": "splendid"},
        {"environment": {"device": "compiler"}},
        {"environment": {}},
        {"checks": 5},
        {"texts": None},
    ],
)
def test_a_bad_line_is_left_out_and_the_others_are_stored(
    over: dict[str, Any], tmp_path: Path
) -> None:
    bad, good = report_of([stored_pair(1), stored_pair(2)], tmp_path)

    imported = import_report(written([bad | over, good], tmp_path))

    assert len(imported.left_out) == 1 and imported.left_out[0].startswith("line 1")
    assert ValidationResult.objects.count() == 1


def test_the_last_line_of_a_killed_harness_is_left_out(tmp_path: Path) -> None:
    path = written(report_of([stored_pair(1), stored_pair(2)], tmp_path), tmp_path)
    path.write_bytes(path.read_bytes()[:-40])

    imported = import_report(path)

    assert [run.total for run in imported.runs] == [1]
    assert imported.left_out[0].startswith("line 2 is no report of this harness")


def test_a_pair_that_a_report_names_twice_is_stored_once(tmp_path: Path) -> None:
    (line,) = report_of([stored_pair(1)], tmp_path)

    imported = import_report(written([line, line], tmp_path))

    assert ValidationResult.objects.count() == 1
    assert "stands in an earlier line too" in imported.left_out[0]


def test_the_same_report_is_imported_once(tmp_path: Path) -> None:
    path = written(report_of([stored_pair(1)], tmp_path), tmp_path)
    import_report(path)

    with pytest.raises(CurationError, match="was imported already, as validation:"):
        import_report(path)


def test_a_missing_report_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="can't be read: No such file"):
        import_report(tmp_path / "none.jsonl")
