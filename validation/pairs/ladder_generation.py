"""Pairs of ladder recipes: every step (rung) of every optimization ladder, in a fixed order.

Ladders are few and chosen by hand, so the count and the caps of other recipes do not apply. The
rungs of a ladder share a split group, so that an export puts them into one split.
"""

from __future__ import annotations

from collections.abc import Iterator

from curation.kinds.difficulty import pair_difficulty
from curation.pairs.draft import OURS, PairDraft
from validation.pairs.recipes.ladders import LADDERS, Ladder, Rung, rendered_rung


def ladder_drafts() -> Iterator[PairDraft]:
    """Yield the rungs of all ladders, one ladder after the other, slow to fast."""
    for ladder in LADDERS:
        for number, rung in enumerate(ladder.rungs, 1):
            yield _draft(ladder, number, rung)


def _draft(ladder: Ladder, number: int, rung: Rung) -> PairDraft:
    sketch, texts = ladder.sketch, rendered_rung(ladder, rung)
    return PairDraft(
        entry_point=sketch.entry_point,
        python_code=texts.python_code,
        triton_code=texts.triton_code,
        test_code=texts.test_code,
        origin="template",
        operation_type=sketch.operation_type,
        difficulty=pair_difficulty(texts.triton_code, sketch.operation_type, sketch.differentiable),
        source=OURS,
        description=sketch.summary,
        slug=f"{sketch.slug}-{rung.slug}",
        tags=(*sketch.tags, *rung.tags),
        recipe=ladder.recipe,
        split_group=f"ladder:{ladder.name}",
        ladder=ladder.name,
        rung=f"{number} {rung.name}",
    )
