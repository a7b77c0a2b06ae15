"""Adding one kernel to a million that are fingerprinted: how long it takes, how large that is.

    python benchmarks/measure_placement.py MIRRORS [--kernels 1000000] [--added 300]

MIRRORS holds one folder `owner+name` for each repository, with a bare git directory `repo` in it.
The first rows are their kernels. The others have the signature of one of these with some places
changed, and its text. A tenth of them have so few changes that they are near-duplicates. So bands
are shared as among real kernels. Added kernels have texts of their own. SQLite in a new folder or
the one that CURATION_DATA names, or the PostgreSQL that DATABASE_URL names. An empty one is filled;
one that an earlier run has filled is measured again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "curation.settings")
if "CURATION_DATA" not in os.environ:
    os.environ["CURATION_DATA"] = tempfile.mkdtemp(prefix="measure-twins-")

import django
import numpy as np

django.setup()

from django.core.management import call_command
from django.db import connection

from benchmarks.mirrors import extractions
from curation.evidence import clusters, fingerprints
from curation.evidence.subjects import KERNEL
from curation.models import Band, DuplicateLink, Fingerprint, Kernel, Kind, Likeness
from curation.similarity.duplicates import FLOOR_WORDS, THRESHOLD
from curation.similarity.minhash import (
    PERMUTATIONS,
    Signature,
    bands,
    from_bytes,
    signature,
    to_bytes,
)
from curation.similarity.shingles import shingles_and_counts

PIECE = 5000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--kernels", type=int, default=1_000_000)
    parser.add_argument("--added", type=int, default=300)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    real = list({item.kernel.source: None for _, item in extractions(options.mirrors)})
    print(f"{connection.vendor}; {len(real)} real kernels, varied")
    if not Kernel.objects.exists():
        _fill(real, options.kernels)
    _sizes()
    _measure(real, options.added)


def _variant(text: str, chance: random.Random) -> str:
    """Some lines doubled, dropped or with other numbers: from hardly any to most."""
    share = chance.random() ** 2
    lines = []
    for line in text.splitlines():
        if chance.random() > share:
            lines.append(line)
            continue
        kind = chance.randrange(3)
        if kind == 0:
            lines += [line, line]
        elif kind == 1:
            number = chance.randrange(1_000_000)
            lines.append(f"{line[: len(line) - len(line.lstrip())]}v{number} = tl.exp({number})")
    return "\n".join([*lines, f"# {chance.getrandbits(60)}"])


def _fill(real: list[str], count: int) -> None:
    """Insert the rows in batches, and create the indexes last."""
    began = time.monotonic()
    bases = _bases(real)
    random_places = np.random.default_rng(1)
    dropped = _drop_indexes()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = OFF")
    for start in range(0, count, PIECE):
        _take_in(bases, range(start, min(start + PIECE, count)), random_places)
        if start % 100_000 == 0:
            print(f"  {start:>9,} in {time.monotonic() - began:.0f} s", flush=True)
    with connection.cursor() as cursor:
        for statement in dropped:
            cursor.execute(statement)
        if connection.vendor == "postgresql":
            for table in (*TABLES, "curation_duplicatelink"):
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) FROM {table}"  # noqa: S608
                )
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    print(f"{count:,} kernels in {time.monotonic() - began:.0f} s", flush=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Base:
    text: str
    words: int
    signature: Signature


def _bases(real: list[str]) -> list[_Base]:
    counted = shingles_and_counts(real)
    measured = zip(real, counted, strict=True)
    return [_Base(text, words, signature(found)) for text, (found, words) in measured]


def _take_in(bases: list[_Base], numbers: range, random_places: np.random.Generator) -> None:
    kernels: list[Kernel] = []
    prints: list[Fingerprint] = []
    rows: list[Band] = []
    links: list[DuplicateLink] = []
    for number in numbers:
        base_pk = number % len(bases) + 1
        base, pk = bases[base_pk - 1], number + 1
        values, content = base.signature, hashlib.sha256(str(pk).encode()).hexdigest()
        if pk != base_pk:
            alike = 0.95 * float(random_places.random()) ** 3
            other = random_places.integers(0, 1 << 32, PERMUTATIONS, np.uint32)
            values = np.where(random_places.random(PERMUTATIONS) < alike, values, other)
            if alike >= THRESHOLD and base.words >= FLOOR_WORDS:
                of = hashlib.sha256(str(base_pk).encode()).hexdigest()
                links.append(
                    DuplicateLink(kernel_id=pk, of_kernel_id=base_pk, similarity=alike,
                                  likeness=Likeness.NEAR, content_hash=content, of_content_hash=of)
                )  # fmt: skip
        kernels.append(
            Kernel(pk=pk, content_hash=content, name=f"k{pk}", function_source=base.text,
                   standalone_source="x = 1\n", lines=40, kind=Kind.ENTRY, standalone=True)
        )  # fmt: skip
        prints.append(
            Fingerprint(pk=pk, kernel_id=pk, scheme=fingerprints.SCHEME, content_hash=content,
                        syntax_hash=content[::-1], token_count=base.words, placed=True,
                        signature=to_bytes(values), compared_with=Fingerprint.NO_BENCHMARKS)
        )  # fmt: skip
        if base.words >= FLOOR_WORDS:
            rows += [
                Band(fingerprint_id=pk, number=band, value=value)
                for band, value in enumerate(bands(values))
            ]
    Kernel.objects.bulk_create(kernels)
    Fingerprint.objects.bulk_create(prints)
    Band.objects.bulk_create(rows)
    DuplicateLink.objects.bulk_create(links)


TABLES = ("curation_kernel", "curation_fingerprint", "curation_band")


def _drop_indexes() -> list[str]:
    """The indexes of the big tables, and the statements that make them again."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT indexname, indexdef FROM pg_indexes JOIN pg_class ON relname = indexname "
                "LEFT JOIN pg_constraint ON conindid = pg_class.oid "
                "WHERE tablename IN ('curation_band', 'curation_fingerprint') AND contype IS NULL"
            )
        else:
            cursor.execute(
                "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
                "AND tbl_name IN ('curation_band', 'curation_fingerprint')"
            )
        found = cursor.fetchall()
        for name, _ in found:
            cursor.execute(f'DROP INDEX "{name}"')
    return [statement for _, statement in found]


def _sizes() -> None:
    print(f"{Band.objects.count():,} bands")
    if connection.vendor == "sqlite":
        name = connection.settings_dict["NAME"]
        print(f"{name}: {Path(name).stat().st_size / 1e9:.2f} GB")
        return
    with connection.cursor() as cursor:
        for table in TABLES:
            cursor.execute("SELECT pg_table_size(%s), pg_indexes_size(%s)", [table, table])
            size, indexes = cursor.fetchone()
            print(f"{table}: {size / 1e9:.2f} GB, its indexes {indexes / 1e9:.2f} GB")


def _measure(real: list[str], count: int) -> None:
    chance = random.Random(Kernel.objects.count())  # noqa: S311
    new = [_variant(chance.choice(real), chance) for _ in range(count)]
    for warm in range(3):
        kernel = _row(f"{new[0]} # warm {warm}")
        kernel.save()
        _place(kernel)
    kernels = [_row(text) for text in new]
    _times("saving a row", (kernel.save for kernel in kernels))
    _times("finding its place, end to end", (partial(_place, kernel) for kernel in kernels))
    keys = list(Kernel.objects.order_by("-pk").values_list("pk", flat=True)[:count])
    lookups = [
        Band.objects.filter(value__in=bands(from_bytes(bytes(data)))).values_list("fingerprint_id")
        for data in Fingerprint.objects.filter(kernel__in=keys).values_list("signature", flat=True)
    ]
    _times("  of that, the bare lookup of 25 bands", (partial(list, each) for each in lookups))
    met = [len({pk for (pk,) in each}) - 1 for each in lookups]
    print(f"  share a band with: median {statistics.median(met):.0f}, most {max(met)}")
    linked = DuplicateLink.objects.filter(kernel__in=keys).count()
    print(f"  {linked} of {count} have a representative, for {DuplicateLink.objects.count()} moved")
    search = fingerprints.missing(KERNEL).values_list("pk", flat=True)
    _times("finding what lacks a fingerprint", (partial(list, search.all()) for _ in range(3)))


def _row(text: str) -> Kernel:
    return Kernel(
        content_hash=hashlib.sha256(text.encode()).hexdigest(),
        name="new",
        kind=Kind.ENTRY,
        function_source=text,
        standalone_source=text,
        standalone=True,
        lines=text.count("\n"),
    )


def _place(kernel: Kernel) -> None:
    """All that stands between a new row and its place."""
    fingerprints.make(KERNEL, [kernel.pk])
    clusters.place_items(KERNEL, [kernel.pk])


def _times(name: str, work: Iterable[Callable[[], object]]) -> None:
    """Measure both clocks: on a shared machine processor time says more than wall time."""
    clock, processor = [], []
    for each in work:
        start = time.perf_counter(), time.process_time()
        each()
        clock.append((time.perf_counter() - start[0]) * 1e3)
        processor.append((time.process_time() - start[1]) * 1e3)
    p95, worst = sorted(clock)[int(len(clock) * 0.95)], max(clock)
    print(
        f"{name}: p50 {statistics.median(clock):.1f} ms, p95 {p95:.1f} ms, worst {worst:.1f} ms; "
        f"of the processor p50 {statistics.median(processor):.1f} ms, "
        f"p95 {sorted(processor)[int(len(processor) * 0.95)]:.1f} ms",
        flush=True,
    )


if __name__ == "__main__":
    main()
