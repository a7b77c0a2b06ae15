"""`manage.py diff_releases A B`: records added, removed and changed, with reasons."""

import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from curation.export.release.changes import differences, mark_withdrawn
from curation.export.release.storage import find_release
from curation.models import Withdrawal
from curation.text import pluralize

SIGNS = {"added": "+", "removed": "-", "changed": "~"}


class Command(BaseCommand):
    help = "Compare two releases record by record."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = "Example: manage.py diff_releases 2026-10 2026-11 --json"
        parser.add_argument("old", help="the name of the earlier release")
        parser.add_argument("new", help="the name of the later release")
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *, old: str, new: str, **options: Any) -> None:
        before, after = find_release(old), find_release(new)
        counts: Counter[str] = Counter()
        for difference in differences(before, after):
            counts[difference.change] += 1
            if options["json"]:
                self.stdout.write(json.dumps(asdict(difference), ensure_ascii=False))
            else:
                was = f" (was {difference.before})" if difference.before != difference.id else ""
                was = was if difference.before else ""
                sign = SIGNS[difference.change]
                self.stdout.write(f"{sign} {difference.id}{was}: {difference.why}")
        if options["json"]:
            return
        self.stdout.write(", ".join(f"{counts[change]:,} {change}" for change in SIGNS) + ".")
        mark_withdrawn()
        for release in (before, after):
            withdrawn = Withdrawal.objects.filter(member__release=release).count()
            if withdrawn:
                self.stdout.write(f"{release} holds {pluralize(withdrawn, 'withdrawn record')}.")
