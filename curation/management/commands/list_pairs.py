"""`manage.py list_pairs`: pairs that match a filter, one a line."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db.models import F, OuterRef, QuerySet, Subquery

from curation.management.arguments import at_least_one
from curation.models import Pair, ValidationResult
from curation.search.filters import Filter


class Command(BaseCommand):
    help = "List pairs with their kind, status and newest verdict, filtered as in the review lists."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.epilog = 'Example: manage.py list_pairs --where "status=pending operation=matmul"'
        parser.add_argument(
            "--where", default="", metavar="FILTER",
            help="only pairs that match, written as in the example (default: all pairs)",
        )  # fmt: skip
        parser.add_argument(
            "--limit", type=at_least_one, metavar="N", help="list N pairs at most (default: all)"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object a line")

    def handle(self, *, where: str, limit: int | None, **options: Any) -> None:
        for pair in _listed(Filter.from_text(where))[:limit].iterator(500):
            self.stdout.write(json.dumps(_record(pair)) if options["json"] else _line(pair))


def _listed(filter: Filter) -> QuerySet[Any]:
    results = ValidationResult.objects.filter(
        pair=OuterRef("pk"), content_hash=OuterRef("content_hash")
    ).order_by("-pk")
    pairs = filter.of(Pair.objects.without_sources()).annotate(
        verdict=Subquery(results.values("verdict")[:1]),
        device=Subquery(results.values("run__device")[:1]),
        spdx=F("license__expression"),
    )
    return pairs.order_by("pk")


def _record(pair: Any) -> dict[str, Any]:
    return {
        "item": f"pair:{pair.pk}",
        "name": str(pair),
        "origin": pair.origin,
        "operation": pair.operation_type,
        "difficulty": pair.difficulty,
        "status": pair.status,
        "license": pair.spdx,
        "verdict": pair.verdict,
        "device": pair.device,
    }


def _line(pair: Any) -> str:
    verdict = f"{pair.verdict} on {pair.device}" if pair.verdict else "not validated"
    kind = f"{pair.origin} {pair.operation_type} {pair.difficulty}"
    return f"pair:{pair.pk}  {pair}  {kind}, {pair.status}, {verdict}"
