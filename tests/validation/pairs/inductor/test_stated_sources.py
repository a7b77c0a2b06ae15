"""A folder of torch.compile of a stated source: its kernels and pairs stand in an export."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.errors import CurationError
from curation.models import Kernel, OptOut, Pair
from tests.curation.export.writing import every, export, reasons
from tests.factories import a_full_validation, a_repository
from tests.ingest.test_compiled import Made, write_trace
from tests.validation.pairs.inductor.whole.test_splitting import RUNNABLE

pytestmark = [pytest.mark.django_db, pytest.mark.any_database, pytest.mark.slow]

STATED = {
    "repository": "ada/models",
    "commit": "abc123",
    "license": "Apache-2.0",
    "copyright": "Copyright 2024 Ada",
}


def compiled(folder: Path) -> Path:
    write_trace(folder / "gated__0", Made("triton_poi_fused_add_0"))
    (folder / "gated__0" / "fx_graph_runnable.py").write_text(RUNNABLE)
    return folder


def exported(folder: Path, out: Path, **stated: str) -> tuple[Any, ...]:
    """Ingest a folder, make its pairs, validate them, and return the exported records."""
    call_command("ingest_inductor", str(folder), **stated, verbosity=0)
    call_command("generate_inductor_pairs", debug_folder=[folder], stdout=StringIO())
    for pair in Pair.objects.all():
        a_full_validation(pair)
    call_command("examine", verbosity=0)
    export(out, "--include-pending", "--without-benchmarks")
    return tuple(
        [record for split in every(out, kind).values() for record in split]
        for kind in ("kernels", "pairs")
    )


def test_kernels_and_pairs_of_a_stated_source_are_exported_with_license_and_provenance(
    command_with_warm_workers: None, tmp_path: Path
) -> None:
    [kernel], [pair] = exported(compiled(tmp_path / "traces"), tmp_path / "out", **STATED)

    for record in (kernel, pair):
        place = record["metadata"]["provenance"]
        assert {name: place[name] for name in STATED} == STATED
        assert record["metadata"]["origin"] == "inductor"
    assert kernel["metadata"]["provenance"]["path"] == "gated__0/output_code.py"
    assert pair["metadata"]["provenance"]["path"] == "gated__0/fx_graph_runnable.py"
    assert pair["id"].startswith("inductor-gated-0-")
    notice = (tmp_path / "out" / "NOTICE").read_text()
    assert "ada/models" in notice and "Copyright 2024 Ada" in notice
    assert "Apache License" in next((tmp_path / "out" / "licenses").iterdir()).read_text()


@pytest.mark.parametrize(
    ("stated", "reason"),
    [
        ({}, "license"),
        (STATED | {"license": "GPL-3.0-only"}, "license"),
        (STATED | {"repository": "eve/models"}, "opted-out"),
        (STATED | {"copyright": "Copyright 2024 Mallory"}, "opted-out"),
    ],
)
def test_compiled_code_is_not_exported_without_a_permissive_license_or_after_an_opt_out(
    stated: dict[str, str], reason: str, command_with_warm_workers: None, tmp_path: Path
) -> None:
    a_repository(name="Eve/models", opted_out_at="2026-01-01T00:00Z")
    OptOut.objects.create(author="Mallory", reason="By mail.")

    assert exported(compiled(tmp_path / "traces"), tmp_path / "out", **stated) == ([], [])

    assert set(reasons(tmp_path / "out").values()) == {reason}
    assert (Kernel.objects.count(), Pair.objects.count()) == (1, 1)


def test_a_license_in_the_folder_counts_more_than_the_stated_one(
    command_with_warm_workers: None, tmp_path: Path
) -> None:
    folder = compiled(tmp_path / "traces")
    (folder / "gated__0" / "output_code.py.license").write_text(
        "SPDX-License-Identifier: GPL-3.0-only\n"
    )

    kernels, _ = exported(folder, tmp_path / "out", **STATED)

    assert kernels == []
    assert Kernel.objects.get().license_verdict == "blocked"


def test_an_invalid_stated_license_is_refused_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(CurationError, match="'as it is' is no SPDX expression"):
        call_command("ingest_inductor", str(compiled(tmp_path / "traces")), license="as it is")
