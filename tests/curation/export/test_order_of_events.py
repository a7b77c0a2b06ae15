"""Whatever happens in whatever order, nothing leaves that must not: found by random histories."""

import itertools
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from curation.decisions.decide import decide_by_policy
from curation.models import (
    ContaminationMatch,
    Decision,
    Fingerprint,
    Kernel,
    License,
    LicenseVerdict,
    Pair,
    Provenance,
    Status,
    ValidationResult,
)
from ingest.confined import reader
from tests import factories as make
from tests.conftest import KERNEL, commit
from tests.curation.export.writing import every, export
from tests.ingest.licenses.cases import MIT_OF_ADA
from tests.ingest.reading_thread import ReadingThread

pytestmark = pytest.mark.django_db

EVENTS = (
    "approve", "reject", "rule approves", "permissive", "blocked", "unknown", "contaminated",
    "clean", "opted out", "opted in", "passed", "failed", "policy blocks", "policy permits",
    "looked at", "not looked at",
)  # fmt: skip
_folders = itertools.count()


def happen(event: str, item: Kernel | Pair, license: License) -> None:
    item.refresh_from_db()
    model = type(item)
    about = {"kernel" if model is Kernel else "pair": item}
    match event:
        case "approve" | "reject":
            make.decided(item, status="approved" if event == "approve" else "rejected")
        case "rule approves":
            decide_by_policy(
                items=model._default_manager.filter(pk=item.pk), status=Status.APPROVED, rules="r 1"
            )
        case "permissive" | "blocked" | "unknown":
            rows = model._default_manager.filter(pk=item.pk)
            rows.update(license_verdict=event, license=license)
        case "contaminated":
            make.a_contamination_match(**about)
        case "clean":
            ContaminationMatch.objects.filter(**about).delete()
        case "looked at" | "not looked at":
            Fingerprint.objects.update(placed=True if event == "looked at" else None)
        case "opted out" | "opted in":
            Provenance.objects.update(opted_out=event == "opted out")
        case "passed" | "failed":
            if model is Pair:
                make.a_validation_result(**about, verdict=event)
        case "policy blocks" | "policy permits":
            License.objects.update(
                verdict=LicenseVerdict.BLOCKED if event == "policy blocks" else "permissive"
            )


def may_leave(item: Kernel | Pair) -> bool:
    """Said another way than the gates say it."""
    item.refresh_from_db()
    about = {"kernel" if isinstance(item, Kernel) else "pair": item}
    people = Decision.objects.filter(**about, actor="person").order_by("pk")
    last = people.last()
    validated = not isinstance(item, Pair) or (
        (newest := ValidationResult.objects.filter(pair=item).order_by("pk").last()) is not None
        and newest.verdict == "passed"
    )
    return (
        item.status == "approved"
        and last is not None
        and last.status == "approved"
        and item.license_verdict == "permissive"
        and item.license is not None
        and item.license.verdict == "permissive"
        and not ContaminationMatch.objects.filter(**about).exists()
        and not Provenance.objects.filter(opted_out=True).exists()
        and Fingerprint.objects.get(**about).placed is not None
        and validated
    )


@given(st.lists(st.sampled_from(EVENTS), min_size=2, max_size=12), st.booleans())
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_export_contains_exactly_the_items_that_may_be_exported(
    tmp_path: Path, events: list[str], pairs: bool
) -> None:
    class Undone(Exception):
        pass

    with pytest.raises(Undone), transaction.atomic():
        license = make.a_license()
        kernel = make.a_permissive_kernel(license=license)
        make.a_provenance(kernel=kernel, license=license, license_verdict="permissive")
        item: Kernel | Pair = kernel
        if pairs:
            item = make.a_pair(license=license, license_verdict="permissive", kernel=kernel)
            make.an_examination(pair=item)
        for event in events:
            happen(event, item, license)

        folder = export(tmp_path / str(next(_folders)), "--format", "jsonl")

        left = sum(map(len, every(folder, "pairs" if pairs else "kernels").values()))
        assert left == may_leave(item)
        raise Undone


@pytest.mark.slow
def test_a_kernel_with_a_license_change_after_approval_is_not_exported(
    kernel_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Approve, read the repository again under another licence, export."""
    monkeypatch.setattr(reader, "Process", ReadingThread)
    (kernel_folder / "LICENSE").write_text(MIT_OF_ADA)
    commit(kernel_folder)
    call_command("ingest", str(kernel_folder), "--now", verbosity=0)
    kernel = Kernel.objects.get()
    make.decided(kernel)
    assert len(every(export(tmp_path / "before"), "kernels")["train"]) == 1

    header = "# SPDX-License-Identifier: GPL-3.0-only\n"
    (kernel_folder / "add.py").write_text(header + KERNEL)
    commit(kernel_folder)
    call_command("ingest", str(kernel_folder), "--now", verbosity=0)

    assert every(export(tmp_path / "after"), "kernels")["train"] == []
