"""Rows to review, as many as wanted: composed to `COMPOSED`, beyond that copied by the database."""

import random
import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.db import connection
from django.db.models import ForeignKey, Max, Model

from curation.decisions import priority
from curation.decisions.figures import keep
from curation.models import (
    Decision,
    DuplicateLink,
    Kernel,
    Pair,
    Provenance,
    QualityFinding,
    ValidationResult,
)
from curation.search.indexes import SEARCHED, make_indexes, words_of
from curation.web import dashboard
from tests import factories as make
from tests.showcase import ADD, ROTARY, SOFTMAX

SEED = 7
BATCH = 2000
OPERATIONS = ("element-wise", "reduction", "matmul", "attention", "softmax", "scan", "sort")
# Composing so many takes a quarter of an hour.
COMPOSED = 200_000
# Relative frequencies of pending, approved and rejected kernels.
WEIGHTS = (60, 25, 15)
COPIED: tuple[type[Model], ...] = (
    Kernel, Pair, Provenance, QualityFinding, ValidationResult, Decision, DuplicateLink,
)  # fmt: skip


def fill(kernels: int, pairs: int, weights: tuple[int, int, int] = WEIGHTS) -> None:
    """Fill the database. Existing rows stay as they are."""
    people = [_person(f"reviewer{n}", make.a_reviewer) for n in range(40)]
    _person("curator", make.a_curator)
    there = Kernel.objects.count()
    # Those that read what was validated and decided since may be fewer by a few.
    if there >= kernels * 0.99:
        return
    began = time.monotonic()
    if not there:
        _compose(min(kernels, COMPOSED), min(pairs, COMPOSED), people, weights)
    if kernels > COMPOSED:
        _copy(kernels // COMPOSED)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    print(f"filled in {time.monotonic() - began:.0f} s")
    began = time.monotonic()
    stretches = 1
    priority.refresh()
    while priority.still_ahead():
        priority.refresh()
        stretches += 1
    seconds = time.monotonic() - began
    print(f"priorities of all gathered in {seconds:.1f} s, in {stretches} stretches")
    began = time.monotonic()
    keep(dashboard.NAME, dashboard.gather())
    print(f"figures of the dashboard gathered in {time.monotonic() - began:.1f} s")


def _person(name: str, made: Callable[..., User]) -> User:
    """Rows that another script has filled may be without."""
    return User.objects.filter(username=name).first() or made(username=name)


def _compose(kernels: int, pairs: int, people: list[User], weights: tuple[int, int, int]) -> None:
    rng = random.Random(SEED)  # noqa: S311 - the same rows in every run
    repositories = [
        make.a_repository(category=category, tier=rng.randint(1, 3), stars=rng.randint(0, 30_000))
        for _ in range(20)
        for category in ("tutorial", "flashattention", "xformers", "jax", "utils")
    ]
    files = [make.a_source_file(repository=one) for one in repositories for _ in range(10)]
    license = make.a_license(expression="MIT")
    for start in range(0, kernels, BATCH):
        _kernels(start, min(BATCH, kernels - start), rng, files, license, people, weights)
    for start in range(0, pairs, BATCH):
        _pairs(start, min(BATCH, pairs - start), rng)
    _links(rng)


def _kernels(
    start: int,
    count: int,
    rng: random.Random,
    files: Any,
    license: Any,
    people: Any,
    weights: tuple[int, int, int],
) -> None:
    rows = []
    for number in range(start, start + count):
        base, name = (ROTARY, "rotate_kernel") if number % 3 else (SOFTMAX, "softmax_kernel")
        source = base.replace(name, f"{name}_{number}").replace("BLOCK", f"B{rng.randint(1, 99)}")
        status = rng.choices(("pending", "approved", "rejected"), weights)[0]
        rows.append(
            Kernel(
                content_hash=make.sha(f"kernel {number}"), name=f"{name}_{number}", kind="entry",
                function_source=source[source.index("@triton") :], standalone_source=source,
                standalone=number % 20 != 0, lines=source.count("\n"), tokens=400, status=status,
                version=1 if status == "pending" else 2, operation_type=rng.choice(OPERATIONS),
                difficulty=rng.choice(("easy", "medium", "hard")), tags=[f"tag-{number % 50}"],
                license=license, license_verdict="permissive", registers=number % 255,
                spilled_bytes=8 * (number % 10 == 0),
            )
        )  # fmt: skip
    Kernel.objects.bulk_create(rows)
    Provenance.objects.bulk_create(
        Provenance(
            kernel=row, source_file=rng.choice(files), qualname=row.name, start_line=10,
            end_line=10 + row.lines, sha256=make.sha(1), license=license,
            license_verdict="permissive", license_reason="The LICENSE says so.",
        )
        for row in rows
    )  # fmt: skip
    QualityFinding.objects.bulk_create(
        QualityFinding(
            kernel=row, gate="length", passed=rng.random() < 0.7, action="warn", rules="1"
        )
        for row in rows
    )
    run = make.a_validation_run(device="compiler")
    ValidationResult.objects.bulk_create(
        ValidationResult(run=run, kernel=row, content_hash=row.content_hash, verdict="passed")
        for row in rows
        if rng.random() < 0.5
    )
    Decision.objects.bulk_create(
        Decision(
            kernel=row, content_hash=row.content_hash, version=1, status=row.status,
            previous_status="pending", user=rng.choice(people),
        )
        for row in rows
        if row.status != "pending"
    )  # fmt: skip


def _pairs(start: int, count: int, rng: random.Random) -> None:
    rows = Pair.objects.bulk_create(
        Pair(
            content_hash=make.sha(f"pair {number}"), slug=f"scaled-add-{number}",
            entry_point=ADD.entry_point, python_code=ADD.python_code,
            triton_code=f"{ADD.triton_code}# {number}\n", test_code=ADD.test_code,
            origin="template", operation_type=rng.choice(OPERATIONS),
            difficulty="easy", speedup=number % 400 / 100,
        )
        for number in range(start, start + count)
    )  # fmt: skip
    run = make.a_validation_run()
    ValidationResult.objects.bulk_create(
        ValidationResult(run=run, pair=row, content_hash=row.content_hash, verdict="passed")
        for row in rows
        if rng.random() < 0.8
    )


def _links(rng: random.Random) -> None:
    pks = list(Kernel.objects.order_by("pk").values_list("pk", "content_hash"))
    twins = rng.sample(range(1, len(pks)), len(pks) // 5)
    links = (
        DuplicateLink(
            kernel_id=pks[n][0], of_kernel_id=pks[n - n % 100][0], likeness="near", similarity=0.9,
            content_hash=pks[n][1], of_content_hash=pks[n - n % 100][1],
        )
        for n in twins
        if n % 100
    )  # fmt: skip
    DuplicateLink.objects.bulk_create(links, batch_size=BATCH)


def _copy(times: int) -> None:
    """All that was composed, `times` - 1 times more, with keys, names and hashes of its own."""
    spans = {model: model._default_manager.aggregate(n=Max("pk"))["n"] or 0 for model in COPIED}
    with connection.cursor() as cursor:
        # An index over texts is made in a tenth of the time that it takes to grow.
        if connection.vendor == "postgresql":
            for table, columns in SEARCHED.items():
                for column in columns:
                    cursor.execute(f"DROP INDEX IF EXISTS {words_of(table)}_{column}")
            cursor.execute("SET maintenance_work_mem = '512MB'")
        else:
            for table in SEARCHED:
                for event in ("insert", "delete", "update"):
                    cursor.execute(f"DROP TRIGGER IF EXISTS {words_of(table)}_{event}")
                cursor.execute(f"DROP TABLE IF EXISTS {words_of(table)}")
            cursor.execute("PRAGMA synchronous = OFF")
            # Hashes go everywhere in their indexes.
            cursor.execute("PRAGMA cache_size = -4000000")
        for number in range(1, times):
            for model in COPIED:
                names = [str(field.column) for field in model._meta.concrete_fields]
                values = [_copied(field, number, spans) for field in model._meta.concrete_fields]
                table = model._meta.db_table
                cursor.execute(
                    f"INSERT INTO {table} ({', '.join(names)}) "  # noqa: S608 - names of our own
                    f"SELECT {', '.join(values)} FROM {table} WHERE id <= {spans[model]}"
                )
        if connection.vendor == "postgresql":
            for model in COPIED:
                table = model._meta.db_table
                cursor.execute(
                    f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), max(id)) "  # noqa: S608
                    f"FROM {table}"
                )
    make_indexes()


def _copied(field: Any, number: int, spans: dict[type[Model], int]) -> str:
    """Return the value of a column in the copy `number`, in either database's SQL."""
    column = str(field.column)
    if field.primary_key:
        return f"id + {number * spans[field.model]}"
    if isinstance(field, ForeignKey) and field.related_model in spans:
        return f"{column} + {number * spans[field.related_model]}"
    if column.endswith("content_hash"):
        return f"substr({column}, 5) || '{number:04x}'"
    if column in ("name", "slug", "function_source", "standalone_source", "triton_code"):
        return f"replace({column}, '_kernel', '_kernel_{number}')"
    if column == "request":
        return (
            "gen_random_uuid()"
            if connection.vendor == "postgresql"
            else "lower(hex(randomblob(16)))"
        )
    return column
