"""`manage.py generate_inductor_pairs`: pairs whose Triton side Inductor writes."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.models import Pair, PairOrigin, Status
from curation.pairs.draft import PairDraft, Source
from curation.pairs.store import Stored, store_pairs
from curation.progress_bar import Bar
from curation.words import counted
from validation.inductor.generation import generate, inductor
from validation.inductor.modules import MODULES
from validation.inductor.offer import Offer, of_modules, types_named
from validation.sandbox import SandboxUnavailable
from validation.workers import WorkerUnavailable


class Command(BaseCommand):
    help = (
        "Have torch.compile's Inductor write Triton for layers and blocks of models, or for the "
        "Python sides of pairs, and make it plain: no import of torch._inductor, a launcher of its "
        "own. Needs no GPU, and runs what it is given in the sandbox. The pairs wait for "
        "validation like any other; what is stored already stays."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--module",
            action="append",
            choices=[module.entry_point for module in MODULES],
            metavar="MODULE",
            help="only this layer or block; may be given more than once",
        )
        parser.add_argument(
            "--from-pairs", action="store_true", help="take the Python sides of stored pairs"
        )
        parser.add_argument("--limit", type=int, help="ask for so many at most")
        parser.add_argument("--list", action="store_true", help="list the modules and stop")
        parser.add_argument("--write", type=Path, help="write the pairs as JSON Lines too")
        parser.add_argument("--dry-run", action="store_true", help="store nothing")

    def handle(self, **options: Any) -> None:
        if options["list"]:
            for module in MODULES:
                types = ", ".join(module.dtypes)
                self.stdout.write(f"{module.entry_point:<24} {types:<28} {module.summary}")
            return
        if options["module"] and options["from_pairs"]:
            raise CommandError("--module and --from-pairs exclude each other.")
        if options["limit"] is not None and options["limit"] < 1:
            raise CommandError("--limit must be at least 1.")
        offers = list(islice(_offers(options), options["limit"]))
        reasons: Counter[str] = Counter()
        drafts = []
        try:
            for draft in self._generated(offers):
                if isinstance(draft, str):
                    reasons[draft] += 1
                else:
                    drafts.append(draft)
        except (SandboxUnavailable, WorkerUnavailable) as error:
            raise CommandError(str(error)) from error
        drafts.sort(key=lambda draft: draft.record_id)
        if options["write"]:
            lines = (json.dumps(draft.as_record()) + "\n" for draft in drafts)
            options["write"].write_text("".join(lines), encoding="utf-8")
        self.stdout.write(f"{counted(len(drafts), 'pair')} of {counted(len(offers), 'function')}.")
        for reason, count in reasons.most_common():
            self.stdout.write(f"{count:>6,}  left out: {reason}")
        if options["dry_run"]:
            self.stdout.write("Nothing stored.")
        else:
            self._say(store_pairs(drafts))

    def _generated(self, offers: list[Offer]) -> Iterator[PairDraft | str]:
        bar = Bar(sys.stderr)
        try:
            with inductor() as workers:
                for done, (_, draft) in enumerate(generate(offers, workers), 1):
                    bar.show("compiling", done, len(offers))
                    yield draft
        finally:
            bar.end()

    def _say(self, stored: Stored) -> None:
        self.stdout.write(
            f"{counted(stored.added, 'pair')} stored, {stored.known:,} known before. "
            "`manage.py validate --pending` checks them."
        )


def _offers(options: dict[str, Any]) -> Iterator[Offer]:
    if not options["from_pairs"]:
        chosen = options["module"]
        yield from of_modules(tuple(m for m in MODULES if not chosen or m.entry_point in chosen))
        return
    pairs = Pair.objects.filter(status__in=(Status.PENDING, Status.APPROVED), next_versions=None)
    for pair in pairs.exclude(origin=PairOrigin.INDUCTOR).order_by("pk").iterator(500):
        for dtype in types_named(pair.test_code):
            yield Offer(
                entry_point=pair.entry_point,
                python_code=pair.python_code,
                test_code=pair.test_code,
                dtype=dtype,
                operation_type=pair.operation_type,
                slug="-".join(filter(None, ("inductor", pair.slug, dtype))),
                split_group=pair.split_group,
                tags=("inductor",),
                source=Source(**pair.metadata.get("provenance", {})),
            )
