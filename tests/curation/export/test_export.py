"""`manage.py export_dataset`: whole or not at all, the same bytes for the same rows."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from curation.errors import CurationError
from curation.export import folder as writing
from curation.export.views import ExportForm
from curation.models import ExportRun, Status
from tests.factories import a_curator, a_kernel, an_approved_kernel

pytestmark = pytest.mark.django_db


def export(out: Path) -> Path:
    call_command("export_dataset", "--out", str(out), verbosity=0)
    return out / "triton_functions.json"


def test_approved_kernels_are_exported_in_the_torchtune_format(tmp_path: Path) -> None:
    kernel = an_approved_kernel(standalone_source="# größer\nimport triton\n")
    for status in (Status.PENDING, Status.REJECTED, Status.RETIRED):
        a_kernel(status=status)

    file = export(tmp_path / "out")

    assert json.loads(file.read_text()) == [{"input": kernel.standalone_source}]


def test_an_export_without_approved_kernels_writes_an_empty_array(tmp_path: Path) -> None:
    assert json.loads(export(tmp_path / "out").read_text()) == []


def test_exporting_the_same_rows_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    for _ in range(5):
        an_approved_kernel()

    assert export(tmp_path / "one").read_bytes() == export(tmp_path / "two").read_bytes()


def test_an_export_refuses_a_folder_that_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")

    with pytest.raises(CurationError, match="exists, is not empty"):
        export(tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_an_export_names_a_target_that_can_not_be_written() -> None:
    with pytest.raises(CurationError, match="/dev/null/out can't be written"):
        export(Path("/dev/null/out"))


def test_a_failed_export_leaves_no_files(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writing.new_folder(tmp_path / "out") as fresh:
        (fresh / "half").write_text("written")
        raise ZeroDivisionError

    assert list(tmp_path.iterdir()) == []


def test_the_export_form_selects_cuda_by_default(client: Client) -> None:
    client.force_login(a_curator())
    form = ExportForm()
    shown = {
        name: field.initial for name, field in form.fields.items() if field.initial is not None
    }

    client.post(reverse("exports"), shown)
    client.post(reverse("exports"), {**shown, "hardware": ["hip", "cuda"]})

    asked = ExportRun.objects.order_by("pk").values_list("options__hardware", flat=True)
    assert list(asked) == [["cuda"], ["cuda", "hip"]]


def test_the_export_form_excludes_disputed_items_by_default(client: Client) -> None:
    client.force_login(a_curator())
    form = ExportForm()
    shown = {
        name: field.initial for name, field in form.fields.items() if field.initial is not None
    }

    client.post(reverse("exports"), shown)
    client.post(reverse("exports"), {**shown, "include_disputed": "on"})

    asked = ExportRun.objects.order_by("pk").values_list("options__include_disputed", flat=True)
    assert list(asked) == [False, True]
