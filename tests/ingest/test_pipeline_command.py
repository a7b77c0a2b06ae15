"""`manage.py extract` and `manage.py pipeline`: from repositories to folders and a dataset."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from curation.errors import CurationError
from curation.export.extract import FOLDER
from curation.models import IngestRun, Kernel, Repository, Status
from tests.conftest import KERNEL, commit
from tests.curation.export.writing import every, hashes, manifest
from tests.ingest.drafting.repositories import DOUBLING, HEAD
from tests.ingest.git.repositories import git

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.any_database]

MIT = "# SPDX-License-Identifier: MIT\n"
GPL = "# SPDX-License-Identifier: GPL-3.0-only\n"
TEST = """
def ref_doubled(x):
    return x + x


@pytest.mark.parametrize("n", [16, 37])
def test_doubled(n):
    x = torch.randn(n, device=device)
    assert torch.allclose(doubled(x), ref_doubled(x))
"""


def a_clone(folder: Path, of: str, **files: str) -> str:
    """A git repository with these files, cloned from one of the known sources."""
    folder.mkdir()
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit(folder)
    git(folder, "remote", "add", "origin", f"https://github.com/{of}.git")
    return str(folder)


@pytest.fixture
def tutorials(tmp_path: Path) -> str:
    texts = {"python__tutorials__add": MIT + KERNEL, "python__tutorials__plain": "x = 1\n"}
    return a_clone(tmp_path / "triton", "triton-lang/triton", **texts)


@pytest.fixture
def attention(tmp_path: Path) -> str:
    texts = {
        "flash_attn__add": MIT + KERNEL.replace("x + y", "x - y"),
        "hopper__Add": GPL + KERNEL.replace("x + y", "x * y"),
    }
    return a_clone(tmp_path / "flash-attention", "Dao-AILab/flash-attention", **texts)


def pipeline(*sources: str, out: Path, **options: object) -> str:
    said = StringIO()
    call_command("pipeline", *sources, out=out, stdout=said, **options)
    return said.getvalue()


@pytest.fixture
def tested(tmp_path: Path) -> str:
    """An operation with a test that compares, and one that no test calls."""
    texts = {
        "ops__doubling": MIT + DOUBLING,
        "ops__halving": MIT + DOUBLING.replace("doubl", "halv").replace("Doubl", "Halv"),
        "tests__test_doubling": MIT + HEAD + TEST,
    }
    return a_clone(tmp_path / "tested", "linkedin/Liger-Kernel", **texts)


def plain(out: Path) -> list[str]:
    return sorted(path for path in hashes(out / FOLDER) if path.endswith(".py"))


def test_the_pipeline_writes_plain_folders_and_a_dataset(
    tutorials: str, attention: str, tmp_path: Path
) -> None:
    said = pipeline(tutorials, attention, out=tmp_path / "out")

    assert plain(tmp_path / "out") == [
        "flashattention/flash_attn/add.py",
        "tutorial/python/tutorials/add.py",
    ]
    written = every(tmp_path / "out" / "dataset", "kernels")
    records = [record for split in written.values() for record in split]
    assert [record["metadata"]["reviewed"] for record in records] == [False, False]
    assert said.startswith("1/2 ")
    assert "ingest: 2 sources -> 3 kernels, 3 standalone, in " in said
    assert "1 left out: license-blocked" in said
    assert "1 left out: no-kernel" in said
    assert "stayed behind: blocked" in said
    assert "kernels: 3 found" in said


def test_running_the_pipeline_again_gives_the_same_bytes(
    tutorials: str, attention: str, tmp_path: Path
) -> None:
    pipeline(tutorials, attention, out=tmp_path / "out")
    before = hashes(tmp_path / "out")

    said = pipeline(tutorials, attention, out=tmp_path / "out")

    assert said.count("nothing has changed") == 2
    assert hashes(tmp_path / "out") == before


def test_the_pipeline_reports_a_failed_source_and_continues(tutorials: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    said = StringIO()

    with pytest.raises(CommandError, match="2 sources failed") as failure:
        call_command(
            "pipeline", "./no/such", str(empty), tutorials, out=tmp_path / "out", stdout=said
        )

    assert failure.value.returncode == 1
    assert "no readable folder at './no/such'" in str(failure.value)
    assert "has no commit yet" in str(failure.value)
    assert "3/3 " in said.getvalue()
    assert plain(tmp_path / "out") == ["tutorial/python/tutorials/add.py"]


def test_an_internal_error_in_one_source_does_not_stop_the_pipeline(
    tutorials: str, attention: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ingest import jobs

    def broken(run: IngestRun, *rest: object) -> object:
        if run.repository.url == attention:
            raise ZeroDivisionError("a fault of ours")
        return whole(run, *rest)  # type: ignore[arg-type]

    whole = jobs._fetch
    monkeypatch.setattr(jobs, "_fetch", broken)

    with pytest.raises(CommandError, match="ZeroDivisionError: a fault of ours"):
        pipeline(attention, tutorials, out=tmp_path / "out")

    assert plain(tmp_path / "out") == ["tutorial/python/tutorials/add.py"]


def test_the_pipeline_without_sources_reads_all_known_ones(tutorials: str, tmp_path: Path) -> None:
    call_command("load_sources", stdout=StringIO())
    Repository.objects.update(enabled=False)
    call_command("ingest", tutorials, now=True, stdout=StringIO())

    assert "1/1 " in pipeline(out=tmp_path / "out")


def test_the_pipeline_refuses_a_foreign_output_folder_before_reading(
    tutorials: str, tmp_path: Path
) -> None:
    mine = tmp_path / "out" / "dataset" / "mine"
    mine.parent.mkdir(parents=True)
    mine.write_text("precious")

    with pytest.raises(CurationError, match="is not an unchanged export"):
        pipeline(tutorials, out=tmp_path / "out")

    assert not IngestRun.objects.exists()
    assert mine.read_text() == "precious"


def test_the_pipeline_excludes_rejected_and_opted_out_items(
    tutorials: str, attention: str, tmp_path: Path
) -> None:
    pipeline(tutorials, attention, out=tmp_path / "out")
    Kernel.objects.filter(function_source__contains="x + y").update(status=Status.REJECTED)
    Repository.objects.filter(url=attention).update(opted_out_at=timezone.now())

    with pytest.raises(CommandError, match="opted out"):
        pipeline(tutorials, attention, out=tmp_path / "out")

    # The plain folders are sources, about which nobody decides; an opt-out holds for them too.
    assert plain(tmp_path / "out") == ["tutorial/python/tutorials/add.py"]
    assert json.loads((tmp_path / "out/dataset/triton_functions.json").read_text()) == []


def test_the_pipeline_excludes_a_clone_of_a_benchmark(tutorials: str, tmp_path: Path) -> None:
    bench = a_clone(
        tmp_path / "bench", "ScalingIntelligence/KernelBench",
        one=MIT + KERNEL.replace("x + y", "x / y"),
    )  # fmt: skip

    pipeline(bench, tutorials, out=tmp_path / "out")

    assert plain(tmp_path / "out") == ["tutorial/python/tutorials/add.py"]
    assert manifest(tmp_path / "out" / FOLDER)["left_out"] == {"benchmark": 1, "no-kernel": 1}
    assert "x / y" not in (tmp_path / "out/dataset/triton_functions.json").read_text()


def test_extract_prints_the_report_and_the_written_files(tutorials: str, tmp_path: Path) -> None:
    call_command("load_sources", stdout=StringIO())
    call_command("ingest", tutorials, now=True, stdout=StringIO())
    said = StringIO()

    call_command("extract", out=tmp_path / "out", stdout=said)

    assert plain(tmp_path / "out") == ["tutorial/python/tutorials/add.py"]
    for title in ("source", "licenses of kernels", "gates that kernels pass", "written"):
        assert any(line.startswith(title) for line in said.getvalue().splitlines())
    assert "1 left out: no-kernel" in said.getvalue()


def test_the_pipeline_drafts_generates_validates_and_exports_pairs(
    tested: str, tmp_path: Path
) -> None:
    said = pipeline(tested, out=tmp_path / "out", generate=1, device="interpreter")

    assert "draft: 1 repository -> 1 pair (1 operation without a test that calls" in said
    assert "generate: " in said
    assert "examine: " in said
    assert "validate: 2 items: 2 passed." in said
    written = every(tmp_path / "out" / "dataset", "pairs")
    origins = {r["metadata"]["origin"] for split in written.values() for r in split}
    assert origins == {"real-world", "template"}
    assert said.splitlines()[-1] == "Next: python manage.py up"


def test_an_unchanged_source_is_drafted_once(tested: str, tmp_path: Path) -> None:
    first, second = (pipeline(tested, out=tmp_path / "out") for _ in range(2))

    assert "draft: 1 repository -> 1 pair" in first
    assert "draft: 0 repositories -> 0 pairs" in second
    assert "not-validated 1" in second


def test_an_interrupted_drafting_is_made_up_for(tested: str, tmp_path: Path) -> None:
    call_command("ingest", tested, now=True)

    assert "draft: 1 repository -> 1 pair" in pipeline(tested, out=tmp_path / "out")


def test_without_a_device_the_pipeline_skips_validation(tested: str, tmp_path: Path) -> None:
    said = pipeline(tested, out=tmp_path / "out")

    assert "validate: skipped" in said
    assert "not-validated 1" in said
    assert said.splitlines()[-1] == (
        "Next: python manage.py validate --pending --device interpreter --now"
    )


def test_a_limit_leaves_pairs_for_a_later_validation(tested: str, tmp_path: Path) -> None:
    said = pipeline(tested, out=tmp_path / "out", generate=1, device="interpreter", limit=1)

    assert "validate: 1 item: 1 passed." in said
    assert said.splitlines()[-1].startswith("Next: python manage.py validate --pending")


def test_a_stage_that_fails_stops_no_later_stage(tested: str, tmp_path: Path) -> None:
    said = StringIO()

    with pytest.raises(CommandError, match="generate: failed: --count must be") as failure:
        call_command("pipeline", tested, out=tmp_path / "out", generate=-1, stdout=said)

    assert failure.value.returncode == 1
    assert "generate: failed: --count must be at least 1." in said.getvalue()
    assert "examine: " in said.getvalue()
    assert plain(tmp_path / "out") == [
        "utils/ops/doubling.py",
        "utils/ops/halving.py",
    ]
