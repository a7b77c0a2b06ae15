"""What it means for a kernel or a pair to hold a text, in each database's own way."""

from django.db import connection
from django.db.models import Q, Value
from django.db.models.expressions import RawSQL
from django.db.models.functions import StrIndex, Upper
from django.db.models.lookups import GreaterThan

from curation.models import Kernel, Pair
from curation.search.indexes import SEARCHED, words_of

# Beyond this a list says that there are more. Who exports or decides in bulk gets them all.
MOST_HITS = 5000
TRIGRAM = 3


def holds(model: type[Kernel] | type[Pair], texts: tuple[str, ...], bounded: bool = False) -> Q:
    """All of `texts`, anywhere, in any case. `bounded` looks at the newest hits only."""
    found = Q()
    for text in texts:
        found &= _holds(model, text, bounded)
    return found


def reads(model: type[Kernel] | type[Pair], texts: tuple[str, ...]) -> Q:
    """The same of rows that are read one by one: no index is asked, however well it would fit."""
    found = Q()
    for text in texts:
        anywhere = Q()
        for column in _searched(model, text):
            anywhere |= Q(GreaterThan(StrIndex(Upper(column), Upper(Value(text))), 0))
        found &= anywhere
    return found


def hits_are_in_order() -> bool:
    """FTS5 keeps its hits in the order of the rows; PostgreSQL fetches all and sorts them."""
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
    """What is too short for an index of trigrams is looked for in names alone."""
    columns = SEARCHED[model._meta.db_table]
    return columns if len(text) >= TRIGRAM else columns[:1]
