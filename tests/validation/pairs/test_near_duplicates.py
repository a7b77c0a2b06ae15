"""Which of our own pairs are near-duplicates of one another: none that computes something else."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import pytest
import torch

from curation.pairs.draft import PairDraft
from curation.similarity.duplicates import Facts
from curation.similarity.fingerprint import Fingerprint, fingerprints, with_python_side
from tests.curation.similarity.clustering import ClusterItem, cluster
from validation.pairs.generation import generate
from validation.pairs.handwritten import handwritten
from validation.pairs.recipes.catalog import RECIPES

pytestmark = pytest.mark.slow


def prints(drafts: list[PairDraft]) -> list[Fingerprint]:
    sides = fingerprints(draft.triton_code for draft in drafts)
    return [
        with_python_side(one, draft.python_code, draft.entry_point)
        for one, draft in zip(sides, drafts, strict=True)
    ]


@cache
def ours() -> tuple[list[PairDraft], list[Fingerprint]]:
    drafts = [*handwritten(), *generate(RECIPES, 300, seed=3)]
    return drafts, prints(drafts)


def test_no_pair_of_the_library_is_a_near_duplicate() -> None:
    drafts = [*handwritten()]
    items = [ClusterItem(n, Facts(f"{n:03}"), one) for n, one in enumerate(prints(drafts))]

    represented = {drafts[key].slug for key, link in cluster(items).items() if link}
    assert represented == set()


def test_a_pair_with_renamed_variables_is_a_near_duplicate() -> None:
    (draft,) = [one for one in handwritten() if one.slug == "swiglu"]
    python = draft.python_code.replace("gate", "first")
    triton = draft.triton_code.replace("BLOCK", "SIZE")
    texts = fingerprints([draft.triton_code, triton])
    items = [
        ClusterItem(
            0, Facts("0"), with_python_side(texts[0], draft.python_code, draft.entry_point)
        ),
        ClusterItem(1, Facts("1"), with_python_side(texts[1], python, draft.entry_point)),
    ]

    assert cluster(items)[1] is not None


def same_operations() -> Iterator[tuple[PairDraft, PairDraft]]:
    """Pairs of pairs that may become near-duplicates, since their python sides are the same."""
    drafts, made = ours()
    by_operations = defaultdict(list)
    for draft, one in zip(drafts, made, strict=True):
        by_operations[one.operation_hash].append(draft)
    for alike in by_operations.values():
        yield from itertools.combinations(alike, 2)


def run(draft: PairDraft, inputs: list[torch.Tensor]) -> object:
    names: dict[str, object] = {}
    exec(draft.python_code, names)  # noqa: S102 - our own text
    return names[draft.entry_point](*inputs)  # type: ignore[operator]


def made_inputs(draft: PairDraft) -> list[list[torch.Tensor]]:
    names: dict[str, object] = {}
    lines = draft.test_code.splitlines()
    text = "\n".join(
        line for line in lines if not line.startswith(("from python_", "from triton_"))
    )
    exec(text, names)  # noqa: S102 - our own text
    return [list(names["make_inputs"](case, "cpu")) for case in names["CASES"][:3]]  # type: ignore[index, operator]


def test_pairs_with_the_same_operations_agree_on_random_inputs() -> None:
    looked_at = 0
    for one, other in same_operations():
        for inputs in made_inputs(one):
            first = run(one, [_copy(value) for value in inputs])
            second = run(other, [_copy(value) for value in inputs])
            torch.testing.assert_close(first, second, equal_nan=True, check_dtype=False)
            looked_at += 1

    assert looked_at >= 3


def test_a_generated_set_contains_no_near_duplicates() -> None:
    drafts = generate(RECIPES, 200)
    items = [ClusterItem(n, Facts(f"{n:03}"), one) for n, one in enumerate(prints(drafts))]

    assert not any(cluster(items).values())


def _copy(value: torch.Tensor) -> torch.Tensor:
    """In float32: two references may round to other types."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.float() if value.is_floating_point() else value.clone()
