"""Chooses what to generate: deterministic, unique, and no more alike than a cap allows.

All combinations of all recipes are numbered before any is made. Each recipe draws its own at
random, and the recipes take turns. What is unlike everything before is taken; what is near
something waits, and fills up at the end as far as the caps allow.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curation.pairs.draft import OURS, PairDraft
from validation.difficulty import difficulty
from validation.diversity import Families, Look, looks
from validation.recipes.recipe import Recipe
from validation.recipes.rendering import rendered, rendered_triton
from validation.recipes.sketch import Sketch
from validation.recipes.styles import STYLES, Style


@dataclass(frozen=True, slots=True)
class Caps:
    near_share: float = 0.5
    """The most of a set that may be near-duplicates of what is in it already."""
    family: int = 6
    """The most members of one family of near-duplicates."""
    recipe_share: float = 0.06
    """The most of a set that one recipe may fill, if there is more than one."""
    patience: int = 2
    """How many combinations a recipe may draw for each pair that is wanted of it."""


Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class _Choice:
    recipe: Recipe
    sketch: Sketch
    style: Style
    triton: str


def generate(
    recipes: Sequence[Recipe],
    count: int,
    seed: int = 0,
    caps: Caps | None = None,
    progress: Progress = lambda stage, done, total: None,
) -> list[PairDraft]:
    """At most `count` pairs; fewer where the recipes or the caps give no more."""
    chosen = _choose(recipes, count, seed, caps or Caps(), progress)
    drafts: dict[str, PairDraft] = {}
    for done, choice in enumerate(chosen):
        progress("writing", done, len(chosen))
        draft = _draft(choice)
        drafts.setdefault(draft.content_hash, draft)
    return list(drafts.values())


def _choose(
    recipes: Sequence[Recipe], count: int, seed: int, caps: Caps, progress: Progress
) -> list[_Choice]:
    most = count if len(recipes) == 1 else max(1, round(count * caps.recipe_share))
    streams = {recipe: _drawn(recipe, seed, most * caps.patience) for recipe in recipes}
    taken: list[_Choice] = []
    waiting: list[tuple[Look, _Choice]] = []
    families, members = Families(), Counter[int]()
    of_recipe, seen = Counter[str](), set[str]()
    while streams and len(taken) < count:
        for recipe in tuple(streams):
            batch = [c for _, c in zip(range(TURN), streams[recipe], strict=False)]
            if not batch or of_recipe[recipe.name] >= most:
                del streams[recipe]
                continue
            for choice, look in zip(batch, looks([c.triton for c in batch]), strict=True):
                if choice.triton in seen or of_recipe[recipe.name] >= most:
                    continue
                seen.add(choice.triton)
                family, founded = families.place(look)
                if not founded:
                    waiting.append((look, choice))
                elif len(taken) < count:
                    members[family] += 1
                    of_recipe[recipe.name] += 1
                    taken.append(choice)
        progress("choosing", len(taken), count)
    room = min(count - len(taken), _room(len(taken), caps.near_share))
    # Only now do all families stand, and what waits may be nearer to a later one.
    placed = [(families.place(look)[0], choice) for look, choice in waiting]
    return taken + _fill(placed, room, most, members, of_recipe, caps)


TURN = 64


def _room(unlike: int, near_share: float) -> int:
    """How many near ones may join, so that they are no more than their share of the whole."""
    return int(unlike * near_share / (1 - near_share)) if near_share < 1 else 1 << 30


def _fill(
    waiting: Sequence[tuple[int, _Choice]],
    room: int,
    most: int,
    members: Counter[int],
    of_recipe: Counter[str],
    caps: Caps,
) -> list[_Choice]:
    """Those that wait, the smallest families first, so that none outgrows the others."""
    joined: list[_Choice] = []
    for size in range(1, caps.family):
        for family, choice in waiting:
            if len(joined) >= room:
                return joined
            if members[family] == size and of_recipe[choice.recipe.name] < most:
                members[family] += 1
                of_recipe[choice.recipe.name] += 1
                joined.append(choice)
        kept = set(map(id, joined))
        waiting = [(family, c) for family, c in waiting if id(c) not in kept]
    return joined


def _drawn(recipe: Recipe, seed: int, limit: int) -> Iterator[_Choice]:
    """Combinations in an order of their own, each once, those that make no sense left out."""
    draw = random.Random(f"{seed}:{recipe.name}")  # noqa: S311 - to be repeated, not to be secret
    listed = range(recipe.combinations)
    made = 0
    for number in draw.sample(listed, min(len(listed), limit * 8)):
        if made == limit:
            return
        sketch = recipe.sketch(number)
        if sketch is not None:
            made += 1
            style = draw.choice(STYLES)
            yield _Choice(recipe, sketch, style, rendered_triton(sketch, style))


def _draft(choice: _Choice) -> PairDraft:
    texts = rendered(choice.sketch, choice.style, choice.triton)
    sketch = choice.sketch
    return PairDraft(
        entry_point=sketch.entry_point,
        python_code=texts.python_code,
        triton_code=texts.triton_code,
        test_code=texts.test_code,
        origin="template",
        operation_type=sketch.operation_type,
        difficulty=difficulty(texts.triton_code),
        source=OURS,
        slug=sketch.slug,
        tags=sketch.tags,
        recipe=choice.recipe.name,
        split_group=f"recipe:{choice.recipe.name}",
    )
