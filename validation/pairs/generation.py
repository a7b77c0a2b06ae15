"""Choice of the combinations of recipes that become pairs: deterministic, balanced, varied.

Recipes take turns. Those of operation types with a greater weight have more turns. In its turn, a
recipe offers a few randomly drawn combinations. The best one has a new structure and the difficulty
that is most lacking. A near-duplicate of an earlier pair is chosen only within the caps.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from curation.kinds.difficulty import pair_difficulty
from curation.pairs.draft import OURS, PairDraft
from curation.similarity.duplicates import THRESHOLD
from curation.similarity.minhash import Signature
from curation.similarity.shingles import Shingles, jaccard, shingles
from curation.similarity.structure import Structure, structure, structure_signature
from curation.similarity.syntax import syntax_hash
from validation.pairs.diversity import TextFamilies
from validation.pairs.recipes.ladders import LADDERS, rendered_rung
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.rendering import rendered_python, rendered_test, rendered_triton
from validation.pairs.recipes.sketch import Sketch
from validation.pairs.recipes.styles import Style, drawn_style

OPERATION_WEIGHTS: Mapping[str, int] = {
    "matmul": 4,
    "element-wise": 3,
    "reduction": 3,
    "normalization": 3,
    "attention": 3,
    "softmax": 2,
    "gather-scatter": 2,
    "quantization": 2,
    "scan": 2,
    "loss": 2,
}
"""Weight of each operation type in a set. Other types have weight 1."""
DIFFICULTY_WEIGHTS: Mapping[str, int] = {"easy": 1, "medium": 2, "hard": 1}


@dataclass(frozen=True, slots=True)
class Caps:
    near_share: float = 0.5
    """Maximum share of a set's pairs that are near an earlier pair."""
    family: int = 12
    """Maximum number of pairs in one family of similar texts."""
    recipe_share: float = 0.06
    """Maximum share of one recipe in a set, if there are several recipes."""
    offers: int = 4
    """Number of combinations from which a recipe's turn chooses."""
    patience: int = 4
    """Maximum number of combinations that a recipe may draw per pair of its share."""


Progress = Callable[[str, int, int], None]


def generate(
    recipes: Sequence[Recipe],
    count: int,
    seed: int = 0,
    caps: Caps | None = None,
    progress: Progress = lambda stage, number, total: None,
) -> list[PairDraft]:
    """Return `count` pairs, or fewer if the recipes or the caps do not permit so many."""
    drafts = {}
    for number, offer in enumerate(_Choosing(recipes, count, seed, caps or Caps()).chosen()):
        progress("generating", number, count)
        draft = _draft(offer)
        drafts[draft.content_hash] = draft
    return list(drafts.values())


@dataclass(frozen=True, eq=False)
class _Offer:
    """A combination that may be chosen, with its texts and fingerprints."""

    recipe: Recipe
    sketch: Sketch
    triton: str
    python: str
    structure: Structure
    signature: Signature

    # Computed only when needed, because it parses a text.
    @cached_property
    def difficulty(self) -> str:
        sketch = self.sketch
        return pair_difficulty(self.triton, sketch.operation_type, sketch.differentiable)

    @cached_property
    def function(self) -> str:
        return syntax_hash(self.python)


@dataclass(slots=True)
class _Turns:
    """Offers of one recipe, and the weight that decides how often it has a turn."""

    stream: Iterator[_Offer]
    most: int
    offers: list[_Offer] = field(default_factory=list)
    weight: float = 1.0
    taken: int = 0

    @property
    def due(self) -> float:
        """Sort key of the recipe's next turn. The recipe with the lowest key is next.

        Each recipe gives one pair before any recipe gives a second pair.
        """
        return (self.taken + 1) / self.weight if self.taken else -self.weight


class _Choosing:
    def __init__(self, recipes: Sequence[Recipe], count: int, seed: int, caps: Caps) -> None:
        self._count, self._caps = count, caps
        most = count if len(recipes) == 1 else max(1, round(count * caps.recipe_share))
        self._turns = [_Turns(_drawn(one, seed, most * caps.patience), most) for one in recipes]
        self._taken = self._near = 0
        self._families = TextFamilies()
        self._difficulties = Counter[str]()
        self._seen = set[str]()
        self._of_function: dict[str, list[Shingles]] = defaultdict(list)

    def chosen(self) -> Iterator[_Offer]:
        self._weigh()
        queue = [(turns.due, number) for number, turns in enumerate(self._turns)]
        heapq.heapify(queue)
        while queue and self._taken < self._count:
            _, number = heapq.heappop(queue)
            turns = self._turns[number]
            if turns.taken >= turns.most or not self._refilled(turns):
                continue
            offer = self._best(turns)
            if offer is not None:
                turns.taken += 1
                yield offer
            heapq.heappush(queue, (turns.due, number))

    def _weigh(self) -> None:
        """Divide the weight of each operation type equally among the recipes of that type."""
        kinds = {}
        for number, turns in enumerate(self._turns):
            if self._refilled(turns):
                kinds[number] = turns.offers[0].sketch.operation_type
        recipes = Counter(kinds.values())
        for number, kind in kinds.items():
            self._turns[number].weight = OPERATION_WEIGHTS.get(kind, 1) / recipes[kind]

    def _refilled(self, turns: _Turns) -> bool:
        for offer in islice(turns.stream, self._caps.offers - len(turns.offers)):
            if offer.triton not in self._seen:
                self._seen.add(offer.triton)
                turns.offers.append(offer)
        return bool(turns.offers)

    def _best(self, turns: _Turns) -> _Offer | None:
        """Remove and return the best offer. If caps exclude it, drop the most repetitive offer."""
        families = [
            self._families.nearest(offer.structure, offer.signature) for offer in turns.offers
        ]
        crowded = [0 if one is None else self._families.size(one) for one in families]
        roomiest = [n for n, size in enumerate(crowded) if size == min(crowded)]
        place = min(roomiest, key=lambda n: self._excess(turns.offers[n].difficulty))
        is_first = turns.taken == 0
        if not (is_first or self._within_caps(crowded[place])) or self._is_near_duplicate(
            turns.offers[place]
        ):
            turns.offers.pop(max(range(len(crowded)), key=crowded.__getitem__))
            return None
        offer = turns.offers.pop(place)
        self._families.add(offer.structure, offer.signature, families[place])
        self._difficulties[offer.difficulty] += 1
        self._taken += 1
        self._near += crowded[place] > 0
        return offer

    def _within_caps(self, crowded: int) -> bool:
        """Return whether the caps permit another pair in a family of this size."""
        near = self._near + (crowded > 0)
        return crowded < self._caps.family and (
            not crowded or near <= self._caps.near_share * (self._taken + 1)
        )

    def _is_near_duplicate(self, offer: _Offer) -> bool:
        """Return whether an export would drop this pair as a near-duplicate of an earlier pair."""
        (shape,) = shingles([offer.triton])
        earlier = self._of_function[offer.function]
        if any(jaccard(shape, other) >= THRESHOLD for other in earlier):
            return True
        earlier.append(shape)
        return False

    def _excess(self, kind: str) -> float:
        share = DIFFICULTY_WEIGHTS[kind] / sum(DIFFICULTY_WEIGHTS.values())
        return self._difficulties[kind] / share


def _drawn(recipe: Recipe, seed: int, limit: int) -> Iterator[_Offer]:
    """Yield valid combinations in random order, without repetitions."""
    draw = random.Random(f"{seed}:{recipe.name}")  # noqa: S311 - to be repeated, not to be secret
    numbers = range(recipe.combinations)
    count = 0
    # Draw many, because most combinations of some recipes are invalid (once all but 72 of 22,176).
    for number in draw.sample(numbers, min(len(numbers), 1000 + limit * 8)):
        if count == limit:
            return
        sketch = recipe.sketch(number)
        if sketch is not None:
            count += 1
            yield _offered(recipe, sketch, drawn_style(draw))


def _offered(recipe: Recipe, sketch: Sketch, style: Style) -> _Offer:
    triton, python = rendered_triton(sketch, style), rendered_python(sketch, style)
    shape = structure(triton)
    return _Offer(
        recipe=recipe,
        sketch=sketch,
        triton=triton,
        python=python,
        structure=shape,
        signature=structure_signature(shape),
    )


def _draft(offer: _Offer) -> PairDraft:
    sketch = offer.sketch
    return PairDraft(
        entry_point=sketch.entry_point,
        python_code=offer.python,
        triton_code=offer.triton,
        test_code=rendered_test(sketch),
        origin="template",
        operation_type=sketch.operation_type,
        difficulty=offer.difficulty,
        source=OURS,
        slug=sketch.slug,
        tags=sketch.tags,
        differentiable=sketch.differentiable,
        recipe=offer.recipe.name,
    )


def ladder_drafts() -> Iterator[PairDraft]:
    """Yield the rungs (steps) of all optimization ladders, ladder after ladder, slowest rung first.

    Ladders are few and chosen by hand, so the count and the caps of recipes do not apply. The rungs
    of a ladder share a split group, so that an export puts them into the same split.
    """
    for ladder in LADDERS:
        sketch = ladder.sketch
        for number, rung in enumerate(ladder.rungs, 1):
            texts = rendered_rung(ladder, rung)
            yield PairDraft(
                entry_point=sketch.entry_point,
                python_code=texts.python_code,
                triton_code=texts.triton_code,
                test_code=texts.test_code,
                origin="template",
                operation_type=sketch.operation_type,
                difficulty=pair_difficulty(
                    texts.triton_code, sketch.operation_type, sketch.differentiable
                ),
                source=OURS,
                description=sketch.summary,
                slug=f"{sketch.slug}-{rung.slug}",
                tags=(*sketch.tags, *rung.tags),
                recipe=ladder.recipe,
                split_group=f"ladder:{ladder.name}",
                ladder=ladder.name,
                rung=f"{number} {rung.name}",
            )
