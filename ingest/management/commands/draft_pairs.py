"""`manage.py draft_pairs`: draft pairs from ingested repositories, and store the drafts."""

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from curation.errors import CurationError
from curation.management.arguments import at_least_one, output_file
from curation.models import Repository
from curation.progress_bar import Bar
from curation.text import pluralize
from ingest.drafts import Drafted, draft_repositories, outcomes
from ingest.sources import chosen


class Command(BaseCommand):
    help = (
        "Draft pairs from the operations of ingested repositories. Launcher, test and reference "
        "are found by syntax; no code is run. Whole drafts wait for validation and review, "
        "incomplete ones for a curator."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py draft_pairs --repository ~/Liger-Kernel --dry-run"
        parser.add_argument(
            "--repository", help="the name, URL or path that `ingest` took (default: all)"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="draft pairs without storing them"
        )
        parser.add_argument(
            "--limit", type=at_least_one, metavar="N", help="store N pairs at most (default: all)"
        )
        parser.add_argument(
            "--write", type=output_file, metavar="FILE",
            help="also write the whole drafts to this file, as JSON Lines (default: no file)",
        )  # fmt: skip
        parser.add_argument(
            "--reasons", action="store_true", help="print what each operation lacks"
        )

    def handle(self, *, repository: str | None, **options: Any) -> None:
        try:
            sources = list(chosen(repository))
        except CurationError as error:
            raise CommandError(str(error)) from error
        bar = Bar(sys.stderr)
        try:
            drafting = draft_repositories(
                sources, bar.show, store=not options["dry_run"], limit=options["limit"]
            )
        finally:
            bar.end()
        for sentence in drafting.errors:
            self.stdout.write(sentence)
        if options["reasons"]:
            for source, drafts in drafting.drafts.items():
                self._write_reasons(source, drafts)
        pairs = drafting.pairs[: options["limit"]]
        if options["write"]:
            lines = (json.dumps(pair.as_record()) + "\n" for pair in pairs)
            options["write"].write_text("".join(lines), encoding="utf-8")
        for source, drafts in drafting.drafts.items():
            self.stdout.write(f"{source.name} -> {outcomes(drafts)}")
        if options["dry_run"]:
            self.stdout.write(f"{pluralize(len(pairs), 'pair')} could be stored.")
            return
        stored, kept = drafting.stored, drafting.kept
        self.stdout.write(
            f"{pluralize(stored.added, 'pair')} stored, {stored.known:,} known before."
        )
        self.stdout.write(
            f"{pluralize(kept.added, 'draft')} opened for curators, {kept.changed:,} changed, "
            f"{kept.left:,} left as people have made them."
        )

    def _write_reasons(self, source: Repository, drafts: list[Drafted]) -> None:
        for one in drafts:
            outcome = one.outcome
            if outcome.missing is not None:
                self.stdout.write(
                    f"{source.name}  {outcome.operation.name}  {outcome.missing}: "
                    f"{outcome.sentence}"
                )
