"""What machines say of a kernel when it comes in: licence, kind, quality, and why."""

from pathlib import Path

import pytest
from django.core.management import call_command

from curation.models import Kernel, LicenseEvidence, Provenance, QualityFinding
from tests.conftest import commit

pytestmark = pytest.mark.django_db

MIT = "# SPDX-License-Identifier: MIT\n"
GPL = "# SPDX-License-Identifier: GPL-3.0-only\n"


def read(folder: Path) -> None:
    call_command("ingest", str(folder), "--now", verbosity=0)


def with_header(folder: Path, header: str, name: str = "add.py") -> None:
    file = folder / name
    file.write_text(header + (folder / "add.py").read_text())
    commit(folder)


def test_a_header_gives_a_kernel_its_license_with_the_matched_line(
    kernel_folder: Path,
) -> None:
    with_header(kernel_folder, MIT)
    read(kernel_folder)

    kernel = Kernel.objects.select_related("license").get()
    assert kernel.license is not None
    assert (kernel.license.expression, kernel.license_verdict) == ("MIT", "permissive")
    evidence = LicenseEvidence.objects.get()
    assert (evidence.read_from, evidence.path, evidence.start_line) == ("spdx-tag", "add.py", 1)
    assert Provenance.objects.get().license_inherited is False


def test_a_kernel_without_license_text_gets_the_verdict_unknown(kernel_folder: Path) -> None:
    read(kernel_folder)

    assert Kernel.objects.get().license_verdict == "unknown"
    assert Provenance.objects.get().license_reason


def test_a_file_without_a_header_inherits_the_repository_license(kernel_folder: Path) -> None:
    import pygments

    text = Path(pygments.__file__).parent.parent.glob("[Pp]ygments-*.dist-info/licenses/LICENSE")
    (kernel_folder / "LICENSE").write_text(next(text).read_text())
    commit(kernel_folder)
    read(kernel_folder)

    kernel = Kernel.objects.select_related("license").get()
    assert kernel.license is not None
    assert (kernel.license.expression, kernel.license_verdict) == ("BSD-2-Clause", "permissive")
    assert Provenance.objects.get().license_inherited is True


def test_a_unit_gets_the_strictest_license_verdict_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "help.py").write_text(
        GPL + "import triton\n\n\n@triton.jit\ndef half(x):\n    return x / 2\n"
    )
    (tmp_path / "main.py").write_text(
        MIT + "import triton\nimport triton.language as tl\nfrom help import half\n\n\n"
        "@triton.jit\ndef kernel(p):\n    tl.store(p, half(tl.load(p)))\n"
    )
    read(tmp_path)

    assert Kernel.objects.get(name="kernel").license_verdict == "blocked"


def test_a_blocked_copy_in_another_file_blocks_the_kernel(
    kernel_folder: Path, tmp_path: Path
) -> None:
    with_header(kernel_folder, MIT)
    read(kernel_folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "copy.py").write_text((kernel_folder / "add.py").read_text().replace(MIT, GPL))

    read(other)

    assert Kernel.objects.get().license_verdict == "blocked"


def test_a_license_change_updates_an_unchanged_kernel(kernel_folder: Path) -> None:
    with_header(kernel_folder, MIT)
    read(kernel_folder)
    file = kernel_folder / "add.py"
    file.write_text(file.read_text().replace(MIT, GPL))
    commit(kernel_folder)

    read(kernel_folder)

    assert Kernel.objects.get().license_verdict == "blocked"


def test_a_kernel_is_classified_with_line_evidence(kernel_folder: Path) -> None:
    read(kernel_folder)

    kernel = Kernel.objects.get()
    assert (kernel.operation_type, kernel.difficulty) == ("element-wise", "easy")
    assert kernel.kind_evidence
    assert all(seen["line"] >= 1 for seen in kernel.kind_evidence)


def test_each_quality_gate_stores_a_finding_with_a_message(kernel_folder: Path) -> None:
    read(kernel_folder)

    found = {finding.gate: finding for finding in QualityFinding.objects.all()}
    assert found["docstring"].passed
    assert found["bounds_masking"].passed
    assert found["has_launcher"].passed
    assert all(finding.message for finding in found.values() if not finding.passed)


def test_a_kernel_that_is_not_standalone_fails_the_gate_that_blocks(tmp_path: Path) -> None:
    (tmp_path / "bound.py").write_text(
        "import triton\nfrom elsewhere import secret\n\n\n"
        "@triton.jit\ndef kernel(p):\n    secret(p)\n"
    )
    read(tmp_path)

    finding = QualityFinding.objects.get(gate="standalone")
    assert (finding.passed, finding.action) == (False, "block")


def test_ingesting_again_does_not_change_the_evidence(kernel_folder: Path) -> None:
    with_header(kernel_folder, MIT)
    seen = []
    for again in ([], ["--again"]):
        call_command("ingest", str(kernel_folder), "--now", *again, verbosity=0)
        seen.append(
            [
                list(table.objects.order_by("pk").values())
                for table in (LicenseEvidence, QualityFinding, Kernel, Provenance)
            ]
        )

    assert seen[0] == seen[1]
