"""Each configuration is there only on request, and rebuilt byte for byte after later changes."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pytest

from curation.models import Decision, Language, LineComment, Pair, ReleaseMember, SourceFile
from tests import factories as make
from tests.curation.export.test_held_out import HELD_OUT, some_generated_pairs
from tests.curation.export.training.prompts.test_configuration import a_prompt_pair
from tests.curation.export.training.test_ladders import WITH_LADDERS, a_ladder, timed
from tests.curation.export.training.test_repairs import WITH_REPAIRS, some_traces
from tests.curation.export.training.test_reviews import a_discussed_kernel
from tests.curation.export.writing import a_seen_kernel, every, export, hashes, manifest, some_rows

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
FORMATS = ("--format", "torchtune,jsonl,parquet,alpaca,kernelbook,trl,prompts")


def kernels_of_both_languages() -> None:
    a_seen_kernel(), a_seen_kernel(language=Language.PALLAS)


def kernels_in_files() -> None:
    some_rows(6, 6)
    for number, file in enumerate(SourceFile.objects.all()):
        text = make.a_source_text(sha256=make.sha(number), text=f"# {number}\n")
        SourceFile.objects.filter(pk=file.pk).update(sha256=text.sha256)


def a_commented_pair() -> None:
    make.a_decision(pair=make.an_approved_pair(), version=2, comment="Good.")


def prompts() -> None:
    for number in range(5):
        a_prompt_pair(number)


def undo_the_comment() -> None:
    undone = Decision.objects.get(comment="Good.")
    make.a_decision(pair=undone.pair, version=3, undoes=undone)


# Rows, options, and a later change.
CASES: dict[str, tuple[Callable[[], object], tuple[str, ...], Callable[[], object]]] = {
    "files": (kernels_in_files, (*FORMATS, "--unit", "file"), a_seen_kernel),
    "held-out recipes": (some_generated_pairs, HELD_OUT, make.an_approved_pair),
    "ladders": (
        a_ladder,
        WITH_LADDERS,
        lambda: timed(Pair.objects.earliest("pk"), 1.0, "NVIDIA H100"),
    ),
    "Pallas": (kernels_of_both_languages, FORMATS, a_seen_kernel),
    "prompts": (prompts, (*FORMATS, "--varied-instructions"), lambda: a_prompt_pair(9)),
    "reasons": (a_commented_pair, ("--with-reasons",), undo_the_comment),
    "repairs": (
        partial(some_traces, 10),
        WITH_REPAIRS,
        lambda: make.a_repair_trace(pair=Pair.objects.earliest("pk")),
    ),
    "reviews": (
        a_discussed_kernel,
        ("--reviews",),
        lambda: LineComment.objects.update(text="Another text."),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_release_is_rebuilt_after_a_later_change(case: str, tmp_path: Path) -> None:
    write_rows, options, change = CASES[case]
    write_rows()
    before = hashes(export(tmp_path / "one", "--release", "1", *options))
    assert ReleaseMember.objects.exists()
    change()

    assert hashes(export(tmp_path / "two", "--release", "1")) == before


# By configuration: its folders, what the card says of it, and what the manifest counts.
EXTRA: dict[str, tuple[tuple[str, ...], tuple[str, ...], object]] = {
    "held-out recipes": (("held_out_recipes",), ("were dropped from train",), None),
    "ladders": (
        ("ladders", "ladder_preferences"),
        ("has 1 conversation:", "has 3 preferences"),
        {"ladders": 1, "preferences": 3},
    ),
    "repairs": (
        ("repairs",),
        ("has 20 conversations", "| wrong-axis | 10 |"),
        {"kinds": {"wrong-axis": 10, "wrong-grid": 10}},
    ),
}


def texts(rows: Any) -> list[dict[str, Any]]:
    """Rows without their metadata, whose missing keys are null after loading."""
    return [{name: value for name, value in row.items() if name != "metadata"} for row in rows]


@pytest.mark.parametrize("case", EXTRA)
def test_a_configuration_is_there_only_on_request_and_loads_by_the_card(
    case: str, tmp_path: Path
) -> None:
    write_rows, (flag, *options), _ = CASES[case]
    kinds, sentences, counted = EXTRA[case]
    write_rows()

    folder = export(tmp_path / "with", flag, *options)
    without = export(tmp_path / "without", *options)

    card = (folder / "README.md").read_text()
    for sentence in sentences:
        assert sentence in card
    if counted:
        assert manifest(folder)[kinds[0]] == counted
    for kind in kinds:
        loaded = datasets.load_dataset(str(folder), kind, cache_dir=str(tmp_path / "cache"))
        written = {split: texts(rows) for split, rows in every(folder, kind).items() if rows}
        assert written
        assert {split: texts(loaded[split]) for split in written} == written
        assert kind not in (without / "README.md").read_text()
        assert not (without / kind).exists()
