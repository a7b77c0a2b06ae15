"""SQL conditions of a substring search in kernels and pairs, for each database."""

from django.db import connection
from django.db.models import Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import StrIndex, Upper
from django.db.models.lookups import GreaterThan

from curation.models import Kernel, Pair
from curation.search.indexes import SEARCHED, words_of

# Maximum number of hits per word that lists read. Exports and bulk decisions read all hits.
MOST_HITS = 5000
TRIGRAM = 3


def holds(model: type[Kernel] | type[Pair], texts: tuple[str, ...], bounded: bool = False) -> Q:
    """Match rows that contain all of `texts`, ignoring case.

    bounded: for each text, read only the newest hits.
    """
    return Q(*(_holds(model, text, bounded) for text in texts))


def reads(model: type[Kernel] | type[Pair], texts: tuple[str, ...]) -> Q:
    """Match the same rows as `holds`, but without an index, for rows that are read one by one."""

    def anywhere(text: str) -> Q:
        found = (StrIndex(Upper(name), Upper(Value(text))) for name in _searched(model, text))
        return Q(*(GreaterThan(position, 0) for position in found), _connector=Q.OR)

    return Q(*map(anywhere, texts))


def hits_are_in_order() -> bool:
    """Return True if the database returns hits by key (FTS5). PostgreSQL has to sort all hits."""
    return connection.vendor == "sqlite"


def _holds(model: type[Kernel] | type[Pair], text: str, bounded: bool) -> Q:
    if len(text) < TRIGRAM or connection.vendor != "sqlite":
        columns = _searched(model, text)
        return Q(*((f"{column}__icontains", text) for column in columns), _connector=Q.OR)
    words = words_of(model._meta.db_table)
    limit = f" ORDER BY rowid DESC LIMIT {MOST_HITS}" if bounded else ""
    quoted = '"' + text.replace('"', '""') + '"'
    hits = f"SELECT rowid FROM {words} WHERE {words} MATCH %s{limit}"  # noqa: S608
    return Q(pk__in=RawSQL(hits, [quoted]))  # noqa: S611 - names of our own, the text a parameter


def _searched(model: type[Kernel] | type[Pair], text: str) -> tuple[str, ...]:
    """Return the columns to search. A text too short for a trigram is only searched in names."""
    columns = SEARCHED[model._meta.db_table]
    return columns if len(text) >= TRIGRAM else columns[:1]
