"""Opt-outs, applied to places of kernels. One opted-out place excludes the kernel everywhere."""

import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import translate

from django.db.models import Exists, OuterRef, Q, QuerySet

from curation.models import OptOut, Provenance

BATCH = 2_000


def opted_out() -> Exists:
    """Return a condition on kernels: an opt-out covers at least one of its places."""
    return Exists(
        Provenance.objects.filter(kernel=OuterRef("pk")).filter(
            Q(opted_out=True) | Q(source_file__repository__opted_out_at__isnull=False)
        )
    )


def mark_opted_out(places: QuerySet[Provenance]) -> int:
    """Update the opt-out mark of these places. Return the number of changed places."""
    rules = rules_in_force()
    changed = 0
    columns = (
        "pk", "opted_out", "copyrights",
        "source_file__path", "source_file__repository_id", "source_file__repository__name",
        "source_file__repository__stated__repository",
    )  # fmt: skip
    if not rules:
        return places.filter(opted_out=True).update(opted_out=False)
    moved: dict[bool, list[int]] = {True: [], False: []}
    for pk, marked, copyrights, path, repository, name, work in (
        places.order_by().values_list(*columns).iterator(chunk_size=BATCH)
    ):
        covered = any(rule(repository, work or name, path, copyrights) for rule in rules)
        if covered is not marked:
            moved[covered].append(pk)
    for covered, pks in moved.items():
        for start in range(0, len(pks), 500):
            rows = Provenance.objects.filter(pk__among=pks[start : start + 500])
            changed += rows.update(opted_out=covered)
    return changed


OptOutRule = Callable[[int, str, str, Sequence[str]], bool]
"""Test of whether an opt-out covers a place, by repository (key and name), path and copyrights."""


def rules_in_force() -> list[OptOutRule]:
    return [_rule(row) for row in OptOut.objects.in_force()]


def _rule(row: OptOut) -> OptOutRule:
    if row.author:
        return _of_author(row.author)
    return _of_paths(row.repository_id, row.path)


def _of_paths(opted_out_repository: int | None, pattern: str) -> OptOutRule:
    matches = re.compile(translate(pattern + "*" if pattern.endswith("/") else pattern)).match

    def rule(repository: int, name: str, path: str, copyrights: Iterable[str]) -> bool:
        return repository == opted_out_repository and matches(path) is not None

    return rule


def _of_author(author: str) -> OptOutRule:
    owner = author.casefold() + "/"
    # Match only complete words, so that an opt-out of Ada does not cover Adam.
    mentions = re.compile(rf"(?<!\w){re.escape(author)}(?!\w)", re.IGNORECASE).search

    def rule(repository: int, name: str, path: str, copyrights: Iterable[str]) -> bool:
        return name.casefold().startswith(owner) or any(map(mentions, copyrights))

    return rule
