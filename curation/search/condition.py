"""SQL conditions of a substring search in kernels and pairs, for each database."""

from django.db import connection
from django.db.models import Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import StrIndex, Upper
from django.db.models.lookups import GreaterThan

from curation.models import Kernel, Pair
from curation.search.indexes import SEARCHED, words_of

# Maximum number of hits in lists. Exports and bulk decisions get all.
MOST_HITS = 5000
TRIGRAM = 3


def holds(model: type[Kernel] | type[Pair], texts: tuple[str, ...], bounded: bool = False) -> Q:
    """Match rows that contain all of `texts`, ignoring case.

    `bounded` reads the newest hits only.
    """
    condition = Q()
    for text in texts:
        condition &= _holds(model, text, bounded)
    return condition


def reads(model: type[Kernel] | type[Pair], texts: tuple[str, ...]) -> Q:
    """Match the same rows without an index, for rows that are read one by one."""
    condition = Q()
    for text in texts:
        anywhere = Q()
        for column in _searched(model, text):
            anywhere |= Q(GreaterThan(StrIndex(Upper(column), Upper(Value(text))), 0))
        condition &= anywhere
    return condition


def hits_are_in_order() -> bool:
    """Return True if the database returns hits by key, as FTS5 does. PostgreSQL sorts all hits."""
    return connection.vendor == "sqlite"


def _holds(model: type[Kernel] | type[Pair], text: str, bounded: bool) -> Q:
    if len(text) < TRIGRAM or connection.vendor != "sqlite":
        anywhere = Q()
        for column in _searched(model, text):
            anywhere |= Q(**{f"{column}__icontains": text})
        return anywhere
    words = words_of(model._meta.db_table)
    limit = f" ORDER BY rowid DESC LIMIT {MOST_HITS}" if bounded else ""
    quoted = '"' + text.replace('"', '""') + '"'
    hits = f"SELECT rowid FROM {words} WHERE {words} MATCH %s{limit}"  # noqa: S608
    return Q(pk__in=RawSQL(hits, [quoted]))  # noqa: S611 - names of our own, the text a parameter


def _searched(model: type[Kernel] | type[Pair], text: str) -> tuple[str, ...]:
    """Return the columns to search. Texts too short for a trigram are searched in names only."""
    columns = SEARCHED[model._meta.db_table]
    return columns if len(text) >= TRIGRAM else columns[:1]
