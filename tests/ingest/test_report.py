"""`report` and `list_kernels`: what stands in the database, for people and for programs."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from curation.errors import CurationError
from curation.models import QualityFinding, Repository

pytestmark = pytest.mark.django_db


def output(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def read(kernel_folder: Path) -> str:
    call_command("ingest", str(kernel_folder), "--now", "--again", verbosity=0)
    return str(kernel_folder)


@pytest.fixture
def plain(tmp_path: Path, kernel_folder: Path) -> str:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "add.py").write_text((kernel_folder / "add.py").read_text())
    (folder / "null.py").write_bytes(b"import triton  # jit\0")
    call_command("ingest", str(folder), "--now", verbosity=0)
    return str(folder)


def test_the_report_counts_the_drops_of_a_source_by_reason(plain: str) -> None:
    document = json.loads(output("report", "--repository", plain, "--json"))

    (source,) = document["sources"]
    assert (source["repository"], source["files"], source["kernels"]) == (plain, 2, 1)
    assert (source["entry"], source["helper"], source["standalone_share"]) == (1, 0, 1.0)
    assert source["drops"] == {"null-byte": 1}
    assert document["categories"]["utils"]["kernels"] == 1


def test_the_table_names_each_source_and_its_drops(plain: str) -> None:
    table = output("report")

    assert plain in table
    assert "1 dropped: null-byte" in table


def test_the_report_counts_passing_kernels_for_each_gate(plain: str, read: str) -> None:
    found = json.loads(output("report", "--json"))["quality"]["utils"]
    table = output("report")

    # The same kernel in two places is one.
    assert found == {
        finding.gate: {"passed": int(finding.passed), "of": 1}
        for finding in QualityFinding.objects.all()
    }
    assert {gate["passed"] for gate in found.values()} == {0, 1}
    assert "gates that kernels pass" in table
    assert any(line.split() == ["has_jit", "1", "(100%)"] for line in table.splitlines())


def test_list_kernels_prints_each_kernel_as_a_json_line(read: str) -> None:
    (line,) = output("list_kernels", "--repository", read, "--json").splitlines()

    kernel: dict[str, Any] = json.loads(line)
    assert kernel["path"] == "add.py"
    assert (kernel["qualname"], kernel["start"], kernel["end"]) == ("add_kernel", 6, 13)
    assert (kernel["kind"], kernel["language"]) == ("entry", "triton")
    assert kernel["container"] == "module"
    assert (kernel["status"], kernel["standalone"], kernel["reasons"]) == ("pending", True, [])
    assert set(kernel) >= {"sha256", "license", "license_verdict", "operation_type", "difficulty",
                           "tokens", "duplicate_of", "contaminated_by"}  # fmt: skip


def test_a_relative_path_means_the_same_source(read: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(read).parent)

    assert output("list_kernels", "--repository", "./kernels", "--json")


def test_an_unknown_source_of_a_report_is_refused_with_a_sentence() -> None:
    with pytest.raises(CurationError, match="Unknown source 'no/where'"):
        output("report", "--repository", "no/where")


def test_a_report_runs_a_fixed_number_of_queries(
    plain: str, read: str, django_assert_max_num_queries: Callable[..., Any]
) -> None:
    with django_assert_max_num_queries(6):
        output("report")
    assert Repository.objects.exclude(last_ingested_at=None).count() == 2


def test_the_report_shows_estimate_and_key_files_of_a_source(plain: str) -> None:
    Repository.objects.filter(url=plain).update(
        estimated_tokens_low=1000, estimated_tokens_high=2000,
        key_files=["add.py", "ops/**", "gone.py"],
    )  # fmt: skip

    (source,) = json.loads(output("report", "--repository", plain, "--json"))["sources"]
    table = output("report")

    assert source["estimated_tokens"] == [1000, 2000]
    assert 0 < source["kernel_file_tokens"] <= source["tokens"]
    assert source["key_files"] == {"add.py": True, "ops/**": False, "gone.py": False}
    counted = f"{source['kernel_file_tokens']:,}"
    assert f"1,000 to 2,000 tokens estimated, {counted} counted in files with kernels" in table
    assert "1 of 3 key files found; missing: ops/**, gone.py" in table
