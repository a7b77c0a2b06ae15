"""A notebook's kernels as rows: where they stand, what is kept, and whose license counts."""

import json
from pathlib import Path

import pytest
from django.core.management import call_command

from curation.models import Drop, Kernel, Language, Provenance, QualityFinding, SourceText
from tests.conftest import commit
from tests.ingest.extract.reading import PRELUDE, notebook

pytestmark = pytest.mark.django_db

KERNEL = "@triton.jit\ndef k(p):\n    tl.store(p, 1)\n"
PALLAS = (
    "from jax.experimental import pallas as pl\n"
    "def double(x_ref, o_ref):\n    o_ref[...] = x_ref[...] * 2\n"
    "def f(x):\n    return pl.pallas_call(double, out_shape=x)(x)\n"
)


def ingest(folder: Path, name: str, data: bytes) -> None:
    (folder / name).write_bytes(data)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)


def test_a_kernel_of_a_notebook_names_its_cell(tmp_path: Path) -> None:
    ingest(tmp_path, "a.ipynb", notebook(PRELUDE, "#md text", f"# below\n\n{KERNEL}"))

    place = Provenance.objects.get()
    assert (place.container, place.cell, place.start_line, place.end_line) == ("notebook", 2, 3, 5)
    assert place.lines == "cell 2, 3\N{EN DASH}5"


def test_only_the_code_cells_of_a_notebook_are_stored(tmp_path: Path) -> None:
    document = json.loads(notebook(PRELUDE, KERNEL))
    document["cells"][0]["outputs"] = [{"data": {"image/png": "iVBOR" * 1000}}]
    ingest(tmp_path, "a.ipynb", json.dumps(document).encode())

    (text,) = SourceText.objects.values_list("text", flat=True)
    assert text == f"{PRELUDE}\n\n{KERNEL}"


def test_a_broken_notebook_is_recorded_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(PRELUDE + KERNEL)
    ingest(tmp_path, "a.ipynb", notebook(PRELUDE, KERNEL)[:-20])

    assert Kernel.objects.count() == 1
    drop = Drop.objects.get(path="a.ipynb")
    assert (drop.reason, "not valid JSON" in drop.message) == ("notebook", True)


def test_a_license_in_a_markdown_cell_is_read(tmp_path: Path) -> None:
    stated = "#md SPDX-License-Identifier: GPL-3.0-only"
    ingest(tmp_path, "a.ipynb", notebook(stated, PRELUDE, KERNEL))

    assert Kernel.objects.get().license_verdict == "blocked"


def test_a_pallas_kernel_is_stored_with_the_language_pallas(tmp_path: Path) -> None:
    ingest(tmp_path, "k.py", PALLAS.encode())

    kernel = Kernel.objects.get()
    assert (kernel.name, kernel.language, kernel.operation_type) == (
        "double",
        Language.PALLAS,
        "element-wise",
    )
    assert kernel.launcher_source.startswith("def f(x):")
    # Gates about Triton's own language are not asked of it.
    for gate in ("has_jit", "program_id", "load_store"):
        finding = QualityFinding.objects.get(kernel=kernel, gate=gate)
        assert finding.passed
        assert "Not asked of a Pallas kernel" in finding.message
