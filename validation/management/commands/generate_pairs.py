"""`manage.py generate_pairs`: pairs by recipe."""

import sys
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.pairs.draft import PairDraft
from curation.pairs.store import store_pairs
from curation.progress_bar import Bar
from curation.text import pluralize
from validation.pairs.diversity import shares_with_neighbor
from validation.pairs.generation import Caps, generate, ladder_drafts
from validation.pairs.recipes.catalog import RECIPES
from validation.pairs.recipes.recipe import Recipe


class Command(BaseCommand):
    help = (
        "Generate pairs by recipe. The same seed gives the same pairs. "
        "Pairs that are stored already do not change."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py generate_pairs --recipe unary-map --count 20"
        parser.add_argument(
            "--recipe",
            action="append",
            choices=[recipe.name for recipe in RECIPES],
            metavar="RECIPE",
            help="only this recipe; may be given more than once (default: all)",
        )
        parser.add_argument(
            "--count", type=int, default=500, metavar="N",
            help="generate N pairs at most (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--seed", type=int, default=0, metavar="N",
            help="the same seed gives the same pairs (default: %(default)s)",
        )  # fmt: skip
        parser.add_argument(
            "--ladders", action="store_true",
            help="generate all optimization ladders instead; --count and caps do not apply",
        )  # fmt: skip
        parser.add_argument("--list", action="store_true", help="list the recipes and stop")
        parser.add_argument(
            "--dry-run", action="store_true", help="generate pairs without storing them"
        )

    def handle(
        self, *, recipe: list[str] | None, count: int, seed: int, dry_run: bool, **options: Any
    ) -> None:
        if count < 1:
            raise CommandError("--count must be at least 1.")
        if options["ladders"]:
            if recipe or options["list"]:
                raise CommandError("--ladders goes with neither --recipe nor --list.")
            drafts = list(ladder_drafts())
            ladders = {draft.ladder for draft in drafts}
            recipes = {draft.recipe for draft in drafts}
            self.stdout.write(
                f"{pluralize(len(ladders), 'ladder')} with {pluralize(len(drafts), 'rung')} by "
                f"{pluralize(len(recipes), 'recipe')}."
            )
            self._store(drafts, dry_run=dry_run)
            return
        chosen = [one for one in RECIPES if recipe is None or one.name in recipe]
        self._list(chosen, everything=options["list"])
        if options["list"]:
            return
        bar = Bar(sys.stderr)
        drafts = generate(chosen, count, seed, Caps(), bar.show)
        bar.show("measuring", 0, 0)
        shares = shares_with_neighbor([draft.triton_code for draft in drafts])
        bar.end()
        used = Counter(draft.recipe for draft in drafts)
        self.stdout.write(
            f"{pluralize(len(drafts), 'pair')} by {pluralize(len(used), 'recipe')}, at most "
            f"{max(used.values(), default=0):,} by one."
        )
        for threshold, share in shares.items():
            self.stdout.write(
                f"{share:.1%} have a neighbor of structural similarity {threshold}"
                " (Triton side, names and numbers set aside)."
            )
        for name in ("operation_type", "difficulty"):
            counts = Counter(getattr(draft, name) for draft in drafts).most_common()
            self.stdout.write(", ".join(f"{value} {number:,}" for value, number in counts))
        if len(drafts) < count:
            self.stdout.write("The recipes and their caps give no more pairs.")
        self._store(drafts, dry_run=dry_run)

    def _store(self, drafts: list[PairDraft], *, dry_run: bool) -> None:
        if dry_run:
            self.stdout.write("Nothing stored.")
            return
        stored = store_pairs(drafts)
        self.stdout.write(
            f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before."
        )

    def _list(self, recipes: list[Recipe], *, everything: bool) -> None:
        if everything:
            for recipe in recipes:
                self.stdout.write(f"{recipe.combinations:>12,}  {recipe.name}")
        total = sum(recipe.combinations for recipe in recipes)
        self.stdout.write(
            f"{pluralize(total, 'combination')} of {pluralize(len(recipes), 'recipe')}."
        )
