"""Ladders by recipe: rungs of one function that differ in their kernels, each a sound pair."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from curation.evidence.ladders import read_perf_cases
from curation.pairs.draft import PairDraft
from curation.similarity.duplicates import Facts
from curation.similarity.fingerprint import fingerprints, with_python_side
from tests.curation.similarity.clustering import ClusterItem, cluster
from tests.validation.pairs.recipes.triton_calls import wrong_calls
from tests.validation.pairs.test_library import assert_passing_for_a_stranger
from validation.pairs.contract import violations
from validation.pairs.generation import ladder_drafts
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.ladders import LADDERS, rendered_rung

MIB = 1 << 20
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int64": 8, "bool": 1}


@cache
def drafts() -> tuple[PairDraft, ...]:
    return tuple(ladder_drafts())


@cache
def rungs_by_ladder() -> dict[str, list[PairDraft]]:
    ladders = defaultdict(list)
    for draft in drafts():
        ladders[draft.ladder].append(draft)
    return ladders


def test_with_the_library_there_are_sixty_ladders() -> None:
    by_hand = {draft.ladder for draft in handwritten() if draft.ladder}

    assert len(LADDERS) == len(rungs_by_ladder()) >= 55
    assert len(by_hand | rungs_by_ladder().keys()) >= 60
    assert not by_hand & rungs_by_ladder().keys()


def test_the_rungs_of_a_ladder_share_all_but_the_triton_side() -> None:
    for rungs in rungs_by_ladder().values():
        assert len({rung.python_code for rung in rungs}) == 1
        assert len({rung.test_code for rung in rungs}) == 1
        assert len({rung.triton_code for rung in rungs}) == len(rungs) >= 2
        assert len({rung.split_group for rung in rungs}) == 1
        assert sorted(rung.rung for rung in rungs) == [rung.rung for rung in rungs]


def test_no_two_ladders_have_the_same_python_side() -> None:
    sides = {rungs[0].python_code for rungs in rungs_by_ladder().values()}
    sides |= {draft.python_code for draft in handwritten()}

    assert len(sides) == len(rungs_by_ladder()) + len({d.python_code for d in handwritten()})


def test_each_rung_keeps_the_contract() -> None:
    for draft in drafts():
        assert violations(draft.as_record()) == [], draft.slug
        for text in (draft.python_code, draft.triton_code, draft.test_code):
            assert max(map(len, text.splitlines())) <= 120


def test_each_rung_calls_triton_with_arguments_that_its_functions_have() -> None:
    assert [call for draft in drafts() for call in wrong_calls(draft.triton_code)] == []


def test_each_rung_opens_with_the_sentence_on_its_step() -> None:
    for ladder in LADDERS:
        for rung in ladder.rungs:
            opening = rendered_rung(ladder, rung).triton_code.removeprefix('"""')
            assert " ".join(opening.split()).startswith(rung.note)
            assert rung.note.endswith(".")


@pytest.mark.slow
def test_no_rung_is_a_near_duplicate_of_another() -> None:
    """An export would keep only one of the two."""
    both = [*drafts(), *handwritten()]
    sides = fingerprints(draft.triton_code for draft in both)
    items = [
        ClusterItem(
            number,
            Facts(f"{number:04}"),
            with_python_side(side, draft.python_code, draft.entry_point),
        )
        for number, (side, draft) in enumerate(zip(sides, both, strict=True))
    ]

    assert [both[key].slug for key, link in cluster(items).items() if link] == []


def test_each_ladder_is_timed_at_one_case_of_at_most_256_mib() -> None:
    for ladder in LADDERS:
        sketch = ladder.sketch
        [case] = read_perf_cases(rendered_rung(ladder, ladder.rungs[0]).test_code)
        sizes = {name: case[name] for name in sketch.size_names}
        total = sum(
            math.prod(sizes[axis] for axis in one.shape)
            * BYTES[one.dtype or ("int64" if one.draw == "index" else case["dtype"])]
            for one in sketch.tensors
        )

        assert 8 * MIB <= total <= 256 * MIB, ladder.name


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["add-residual-rms-norm-silu", "total-squared-error-mean", "adam-step"]
)
def test_the_rungs_of_a_ladder_pass_pytest_in_an_empty_folder(name: str, tmp_path: Path) -> None:
    assert_passing_for_a_stranger(rungs_by_ladder()[name], tmp_path)
