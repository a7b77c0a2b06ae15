"""Import of pass rates, and each pair's rate over all models. No other code writes them.

Over all models, a pair's rate is the mean of each model's share of attempts that passed. For each
model, the measurement with the most attempts counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import transaction

from curation.evidence.pass_rate_files import BadRow, RateRow, read_rows
from curation.models import Pair, PassRate

BATCH = 500
RECORD_ID = re.compile(r".+-([0-9a-f]{8})")
Key = tuple[int, str, int]


@dataclass(slots=True)
class ImportedRates:
    """Result of an import: counts of rows, and the rows that were refused."""

    added: int = 0
    changed: int = 0
    known: int = 0
    refused: list[BadRow] = field(default_factory=list)


def import_pass_rates(path: Path) -> ImportedRates:
    """Store the rows of a file. Rows that were stored before are counted as known.

    A row with other numbers replaces the stored row. Within a file, the first row wins.
    """
    result = ImportedRates()
    seen: dict[Key, RateRow] = {}
    find_pair = lru_cache(maxsize=10_000)(_find_pair)
    rows = iter(read_rows(path))
    while batch := list(islice(rows, BATCH)):
        new: dict[Key, RateRow] = {}
        for row in batch:
            if isinstance(row, BadRow):
                result.refused.append(row)
                continue
            pair = find_pair(row.pair)
            if pair is None:
                result.refused.append(BadRow(row.line, f"There is no pair {row.pair[:100]!r}."))
                continue
            key = (pair, row.model, row.k)
            first = seen.setdefault(key, row)
            if (first.n, first.passed) != (row.n, row.passed):
                reason = f"It contradicts line {first.line}, which is about the same pass@{row.k}."
                result.refused.append(BadRow(row.line, reason))
            elif first is row:
                new[key] = row
            else:
                result.known += 1
        _store(new, result)
    return result


def _find_pair(name: str) -> int | None:
    """Find a pair by its record id, its number ("12", "pair:12") or its hash. Return its key."""
    number = name.removeprefix("pair:")
    if number.isascii() and number.isdecimal() and len(number) < 19:
        return Pair.objects.filter(pk=int(number)).values_list("pk", flat=True).first()
    if re.fullmatch(r"[0-9a-f]{64}", name):
        return Pair.objects.filter(content_hash=name).values_list("pk", flat=True).first()
    match = RECORD_ID.fullmatch(name)
    if match is None:
        return None
    # A range, because SQLite uses no index for LIKE. "g" sorts after all hexadecimal digits.
    like = Pair.objects.filter(content_hash__gte=match[1], content_hash__lt=f"{match[1]}g")
    return next((pair.pk for pair in like.only("slug", "content_hash") if str(pair) == name), None)


def _store(rows: Mapping[Key, RateRow], result: ImportedRates) -> None:
    pairs = {pair for pair, _, _ in rows}
    with transaction.atomic():
        stored = {
            (row.pair_id, row.model, row.k): (row.n, row.passed)
            for row in PassRate.objects.filter(pair__among=pairs)
        }
        written = []
        for (pair, model, k), row in rows.items():
            before = stored.get((pair, model, k))
            if before == (row.n, row.passed):
                result.known += 1
                continue
            result.added += before is None
            result.changed += before is not None
            written.append(PassRate(pair_id=pair, model=model, k=k, n=row.n, passed=row.passed))
        # Another import may have added the same rows in the meantime.
        PassRate.objects.bulk_create(
            written, update_conflicts=True, unique_fields=("pair", "model", "k"),
            update_fields=("n", "passed"),
        )  # fmt: skip
        _refresh({row.pair_id for row in written})


def _refresh(pairs: Collection[int]) -> None:
    """Compute the rate of each of these pairs over all models."""
    for pair, rows in rates_of(pairs).items():
        counts = [{"model": row.model, "n": row.n, "passed": row.passed} for row in rows]
        Pair.objects.filter(pk=pair).update(pass_rate=mean_rate(counts))


def rates_of(pairs: Collection[int]) -> dict[int, list[PassRate]]:
    """Return the pass rates by pair, in the order of models and k."""
    by_pair: dict[int, list[PassRate]] = defaultdict(list)
    for row in PassRate.objects.filter(pair__among=frozenset(pairs)).order_by("model", "k"):
        by_pair[row.pair_id].append(row)
    return dict(by_pair)


def mean_rate(rows: Iterable[Mapping[str, Any]]) -> float | None:
    """Return the mean over models of the share of attempts that passed, or None without a row.

    For each model, the row with the largest `n` counts.
    """
    best: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        if row["model"] not in best or row["n"] > best[row["model"]]["n"]:
            best[row["model"]] = row
    shares = [row["passed"] / row["n"] for row in best.values()]
    return sum(shares) / len(shares) if shares else None
