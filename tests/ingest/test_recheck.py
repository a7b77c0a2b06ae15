"""New rules reach every kernel that is known, and no person's decision is lost over it."""

import json
import uuid
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Model

from curation.decisions.decide import decide
from curation.models import Decision, Kernel, Provenance, QualityFinding, Repository, Status
from tests.conftest import commit
from tests.factories import a_reviewer

pytestmark = pytest.mark.django_db


@pytest.fixture
def known(kernel_folder: Path) -> Path:
    call_command("ingest", str(kernel_folder), "--now", verbosity=0)
    return kernel_folder


def recheck(**options: Any) -> str:
    said = StringIO()
    call_command("recheck", now=True, stdout=said, **options)
    return said.getvalue()


def everything() -> list[dict[str, Any]]:
    models: tuple[type[Model], ...] = (Kernel, Provenance, QualityFinding, Decision)
    return [row for m in models for row in m._default_manager.order_by("pk").values()]


def test_a_recheck_with_unchanged_rules_changes_no_row(known: Path) -> None:
    before = everything()
    recheck()

    assert everything() == before


def test_a_recheck_reclassifies_a_kernel_of_older_rules(known: Path) -> None:
    right = Kernel.objects.values("operation_type", "tags", "kind_rules").get()
    Kernel.objects.update(operation_type="matmul", tags=["old"], kind_rules="0")
    recheck(repository=str(known))

    assert Kernel.objects.values("operation_type", "tags", "kind_rules").get() == right


def test_a_recheck_replaces_findings_of_older_gates(known: Path) -> None:
    right = list(QualityFinding.objects.order_by("gate").values("gate", "passed", "rules"))
    QualityFinding.objects.filter(gate="parses").update(passed=False, rules="0")
    QualityFinding.objects.filter(gate="docstring").update(gate="of yore", rules="0")
    recheck()

    assert list(QualityFinding.objects.order_by("gate").values("gate", "passed", "rules")) == right


def test_a_recheck_keeps_the_decision_of_a_person(known: Path) -> None:
    kernel = Kernel.objects.get()
    decide(item=kernel, status=Status.APPROVED, version=1, user=a_reviewer(), request=uuid.uuid4())
    Kernel.objects.update(kind_rules="0")
    recheck()

    assert Kernel.objects.get().status == Status.APPROVED
    assert Decision.objects.count() == 1


def test_a_recheck_keeps_a_classification_corrected_by_a_person(known: Path) -> None:
    corrected = {"operation_type": "scan", "tags": ["mine"], "kind_rules": "0"}
    Kernel.objects.update(**corrected, kind_corrected=True)
    recheck()

    assert Kernel.objects.values(*corrected).get() == corrected


def test_a_recheck_reads_the_last_ingested_commit(known: Path) -> None:
    (known / "add.py").write_text("# Nothing any more.\n")
    commit(known)
    recheck()

    assert Provenance.objects.filter(retired_at=None).count() == 1


def test_a_recheck_reports_a_missing_source_and_continues(known: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "add.py").write_text((known / "add.py").read_text().replace("add", "plus"))
    call_command("ingest", str(other), "--now", verbosity=0)
    Kernel.objects.update(kind_rules="0")
    Repository.objects.filter(url=str(known)).update(url=str(tmp_path / "gone"))

    with pytest.raises(CommandError, match="1 source failed"):
        recheck()

    assert sorted(Kernel.objects.values_list("kind_rules", flat=True))[0] == "0"
    assert Kernel.objects.exclude(kind_rules="0").count() == 1


def test_the_funnel_is_printed_as_text_and_as_json(known: Path) -> None:
    text, document = StringIO(), StringIO()
    call_command("report", funnel=True, stdout=text)
    call_command("report", funnel=True, json=True, stdout=document)

    assert "1  found" in text.getvalue()
    assert json.loads(document.getvalue())[0] == {"name": "found", "count": 1, "behind": {}}
