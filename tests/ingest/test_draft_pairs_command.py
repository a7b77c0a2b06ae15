"""`manage.py draft_pairs`: whole drafts become pairs, once, and the rest is counted."""

import os
import shutil
import signal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from curation.models import (
    Draft,
    DraftState,
    Kernel,
    Pair,
    PairOrigin,
    Repository,
    Role,
    Status,
)
from ingest.drafting import DraftOutcome
from ingest.drafts import read_drafts
from ingest.git import Snapshot
from tests import factories as make
from tests.conftest import commit
from tests.ingest.drafting.operators import FILES, TEST_HEAD
from tests.ingest.drafting.repositories import DOUBLING, HEAD
from tests.ingest.drafting.test_adapters import TEST_MEAN

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]

TEST = """
def ref_doubled(x):
    return x + x

@pytest.mark.parametrize("n", [16, 37])
def test_doubled(n):
    x = torch.randn(n, device=device)
    assert torch.allclose(doubled(x), ref_doubled(x))
"""
HALVING = DOUBLING.replace("doubl", "halv").replace("Doubl", "Halv")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with one operation that is tested, and one that nobody tests."""
    folder = tmp_path / "kernels"
    (folder / "ops").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "ops" / "__init__.py").write_text("")
    (folder / "ops" / "doubling.py").write_text(DOUBLING)
    (folder / "ops" / "halving.py").write_text(HALVING)
    (folder / "tests" / "test_doubling.py").write_text(HEAD + TEST)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)
    return folder


def draft_pairs(*arguments: str) -> str:
    out = StringIO()
    call_command("draft_pairs", *arguments, stdout=out)
    return out.getvalue()


def test_a_complete_draft_becomes_a_pending_pair_of_its_kernel(folder: Path) -> None:
    draft_pairs()

    pair = Pair.objects.get()
    assert (pair.status, pair.origin, pair.author) == (Status.PENDING, PairOrigin.REAL_WORLD, None)
    assert pair.kernel == Kernel.objects.get(name="doubling_kernel")
    assert pair.entry_point == "doubling"
    provenance = pair.metadata["provenance"]
    assert provenance["repository"] == str(folder)
    assert provenance["commit"] == Repository.objects.get().last_commit
    assert provenance["path"] == "ops/doubling.py"


def test_the_code_that_no_case_runs_is_left_out(folder: Path, settings: Any) -> None:
    settings.DRAFT_SIMPLIFIER = "validation.observing.simplify.simplifier"
    guarded = DOUBLING.replace(
        "    out = torch.empty_like(x)",
        "    if x.is_sparse:\n        x = x.to_dense()\n    out = torch.empty_like(x)",
    )
    assert guarded != DOUBLING
    (folder / "ops" / "doubling.py").write_text(guarded)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)

    draft_pairs()

    code = Pair.objects.get().triton_code
    assert "doubling_kernel[" in code
    assert "to_dense" not in code


def test_the_command_prints_the_outcome_of_each_operation(folder: Path) -> None:
    said = draft_pairs("--reasons")

    assert f"{folder} -> 1 pair (1 operation without a test that calls the launcher)" in said
    assert "No test was found that uses Halving." in said


def test_drafting_pairs_again_changes_no_row(folder: Path) -> None:
    draft_pairs()
    before = list(Pair.objects.values())

    assert "0 pairs stored, 1 known before." in draft_pairs()
    assert list(Pair.objects.values()) == before


def test_a_dry_run_stores_nothing(folder: Path) -> None:
    assert "1 pair could be stored." in draft_pairs("--dry-run")
    assert not Pair.objects.exists()


@pytest.mark.slow
def test_a_limit_bounds_the_number_of_stored_pairs(folder: Path) -> None:
    (folder / "tests" / "test_halving.py").write_text(
        (HEAD + TEST).replace("doubl", "halv").replace("Doubl", "Halv")
    )
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)
    assert "2 pairs could be stored." in draft_pairs("--dry-run")

    draft_pairs("--limit", "1")

    assert Pair.objects.count() == 1


def test_a_pair_of_an_operator_library_belongs_to_its_kernel(tmp_path: Path) -> None:
    for path, text in {**FILES, "tests/test_ops.py": TEST_HEAD + TEST_MEAN}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    commit(tmp_path)
    call_command("ingest", str(tmp_path), "--now", verbosity=0)

    draft_pairs()

    # Its first decorator, which the adapter removes, is the first line of the ingested kernel.
    assert Pair.objects.get(entry_point="mean_dim").kernel == Kernel.objects.get(name="mean_kernel")


def test_an_interrupted_command_keeps_the_pairs_of_earlier_sources(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Repository.objects.get()
    make.a_repository(name="zeta/kernels", last_ingested_at=timezone.now())

    def interrupted(repository: Repository) -> tuple[Snapshot, list[DraftOutcome]]:
        if repository != first:
            raise KeyboardInterrupt
        return read_drafts(repository)

    monkeypatch.setattr("ingest.drafts.read_drafts", interrupted)

    with pytest.raises(KeyboardInterrupt):
        draft_pairs()

    assert Pair.objects.get().entry_point == "doubling"


def test_a_killed_drafting_process_costs_its_own_repository_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = folder.parent / "other"
    shutil.copytree(folder, other)
    call_command("ingest", str(other), "--now", verbosity=0)

    def killed(repository: Repository) -> tuple[Snapshot, list[DraftOutcome]]:
        if repository.url == str(other):
            monkeypatch.setattr("ingest.drafts.draft_snapshot", kill_own_process)
        return read_drafts(repository)

    monkeypatch.setattr("ingest.drafts.read_drafts", killed)
    monkeypatch.setattr("os.cpu_count", lambda: 1)

    printed = draft_pairs()

    assert f"{other}: BrokenProcessPool" in printed
    assert Pair.objects.count() == 1


def kill_own_process(_: Snapshot) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def change(folder: Path, *changes: tuple[str, str]) -> None:
    """Edit the tested operation, commit the folder, and draft it."""
    kernel = folder / "ops" / "doubling.py"
    text = kernel.read_text()
    for before, after in changes:
        text = text.replace(before, after)
    kernel.write_text(text)
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)
    draft_pairs()


FORTH = (("2 * tl.load", "tl.load"), ("BLOCK=16", "BLOCK=32"))
BACK = (("tl.load", "2 * tl.load"), ("BLOCK=32", "BLOCK=16"))


def test_a_new_commit_creates_a_new_version_of_a_pair(folder: Path) -> None:
    draft_pairs()
    old = Pair.objects.get()

    change(folder, *FORTH)

    new = Pair.objects.exclude(pk=old.pk).get()
    assert (new.previous, new.split_group) == (old, old.split_group)
    assert new.status == Status.PENDING


def test_a_newer_draft_retires_the_pending_one_until_it_is_drafted_again(folder: Path) -> None:
    draft_pairs()
    old = Pair.objects.get()

    change(folder, *FORTH)
    old.refresh_from_db()
    assert old.status == Status.RETIRED

    change(folder, *BACK)
    old.refresh_from_db()
    new = Pair.objects.exclude(pk=old.pk).get()
    assert (old.status, new.status) == (Status.PENDING, Status.RETIRED)


def test_a_draft_that_lost_its_comparison_retires_the_pending_pair(folder: Path) -> None:
    draft_pairs()
    pair = Pair.objects.get()
    test = folder / "tests" / "test_doubling.py"
    comparing = test.read_text()

    test.write_text(comparing.replace("assert torch.allclose", "print"))
    change(folder)
    pair.refresh_from_db()
    assert pair.status == Status.RETIRED

    test.write_text(comparing)
    change(folder)
    pair.refresh_from_db()
    assert pair.status == Status.PENDING


@pytest.mark.parametrize("values", [{"status": "approved"}, {"status": "rejected"}, {"author": 1}])
def test_a_newer_draft_leaves_what_a_person_decided_or_wrote(
    folder: Path, values: dict[str, Any]
) -> None:
    draft_pairs()
    old = Pair.objects.get()
    if "author" in values:
        values = {"author": make.a_curator()}
    Pair.objects.update(**values)

    change(folder, *FORTH)

    old.refresh_from_db()
    assert old.status == values.get("status", Status.PENDING)


def test_complete_drafts_are_written_as_records(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "drafts.jsonl"

    draft_pairs("--dry-run", "--write", str(file))

    call_command("import_pairs", str(file), stdout=(out := StringIO()))
    assert "1 pair stored" in out.getvalue()


def test_no_pair_is_drafted_from_a_benchmark(folder: Path) -> None:
    Repository.objects.update(role=Role.BENCHMARK)

    assert "is a benchmark" in draft_pairs()
    assert not Pair.objects.exists()


def test_an_unknown_source_is_named() -> None:
    with pytest.raises(CommandError, match="Unknown source"):
        draft_pairs("--repository", "nobody/nothing")


# --- What is not whole ----------------------------------------------------------------------
def test_an_incomplete_pair_opens_a_draft_with_the_present_parts(folder: Path) -> None:
    said = draft_pairs()

    draft = Draft.objects.get()
    assert "1 draft opened for curators, 0 changed, 0 left as people have made them." in said
    assert (draft.operation, draft.path, draft.reason) == ("Halving", "ops/halving.py", "no-test")
    assert draft.missing[0] == "No test was found that uses Halving."
    assert (draft.state, draft.edited_by) == (DraftState.OPEN, None)
    assert draft.kernel == Kernel.objects.get(name="halving_kernel")
    assert "def halving_kernel" in draft.triton_code
    assert "def halved" in draft.triton_code
    assert (draft.python_code, draft.test_code) == ("", "")
    assert (draft.entry_point, draft.slug) == ("run_halving", "halving")
    assert draft.provenance["commit"] == Repository.objects.get().last_commit


def test_a_dry_run_opens_no_draft(folder: Path) -> None:
    draft_pairs("--dry-run")

    assert not Draft.objects.exists()


def test_drafting_pairs_again_keeps_the_drafts(folder: Path) -> None:
    draft_pairs()
    before = list(Draft.objects.values())

    assert "0 drafts opened for curators, 0 changed" in draft_pairs()
    assert list(Draft.objects.values()) == before


def test_a_new_commit_updates_only_drafts_not_edited_by_a_person(folder: Path) -> None:
    draft_pairs()
    kernel = folder / "ops" / "halving.py"
    kernel.write_text(kernel.read_text().replace("2 * tl.load", "3 * tl.load"))
    again(folder)

    changed = draft_pairs()
    seen = Draft.objects.get()
    Draft.objects.update(edited_by=make.a_curator(), triton_code="# mine\n", version=9)
    kernel.write_text(kernel.read_text().replace("3 * tl.load", "4 * tl.load"))
    again(folder)
    left = draft_pairs()

    assert "1 changed" in changed
    assert ("3 * tl.load" in seen.triton_code, seen.version) == (True, 2)
    assert "0 changed, 1 left" in left
    edited = Draft.objects.get()
    assert (edited.triton_code, edited.version) == ("# mine\n", 9)


def test_drafts_missing_after_a_killed_run_are_created_by_the_next(folder: Path) -> None:
    draft_pairs()
    Draft.objects.all().delete()

    assert "0 pairs stored, 1 known before." in (said := draft_pairs())
    assert "1 draft opened" in said


def test_a_draft_is_finished_when_its_pair_becomes_complete(folder: Path) -> None:
    draft_pairs()
    test = (HEAD + TEST).replace("doubl", "halv").replace("Doubl", "Halv")
    (folder / "tests" / "test_halving.py").write_text(test)
    again(folder)

    draft_pairs()

    draft = Draft.objects.get()
    assert draft.state == DraftState.FINISHED
    assert draft.pair == Pair.objects.get(entry_point="halving")


def test_a_draft_is_dismissed_when_its_operation_is_gone(folder: Path) -> None:
    draft_pairs()
    (folder / "ops" / "halving.py").unlink()
    again(folder)

    draft_pairs()

    assert (Draft.objects.get().state, Draft.objects.get().reason) == (DraftState.SET_ASIDE, "gone")


def again(folder: Path) -> None:
    commit(folder)
    call_command("ingest", str(folder), "--now", verbosity=0)
