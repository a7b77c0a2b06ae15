"""The shingles of items' texts, read when two items are compared and kept for a while."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet

from curation.compiled_queries import compiled_query
from curation.evidence.subjects import Subject, chunks, identity_shingles
from curation.similarity.shingles import Shingles

KEPT = 10_000
"""Some 30 MB. A text is asked for again and again while its cluster is worked on."""

_kept: OrderedDict[tuple[str, str], Shingles] = OrderedDict()


def known_shingles(subject: Subject, wanted: Mapping[str, int]) -> dict[str, Shingles]:
    """By content hash; `wanted` has the item that each content belongs to."""
    found: dict[str, Shingles] = {}
    missing: list[int] = []
    for content, key in wanted.items():
        kept = _kept.get((subject.name, content))
        if kept is None:
            missing.append(key)
        else:
            _kept.move_to_end((subject.name, content))
            found[content] = kept
    for chunk in chunks(missing):
        rows = _texts(subject, chunk)
        read = identity_shingles([texts for _, *texts in rows])
        made = {content: one for (content, *_), one in zip(rows, read, strict=True)}
        keep_shingles(subject, made)
        found |= made
    return found


def keep_shingles(subject: Subject, made: Mapping[str, Shingles]) -> None:
    """By content hash. Whoever has made some for another reason spares us their texts."""
    for content, shingles in made.items():
        _kept[subject.name, content] = shingles
    while len(_kept) > KEPT:
        _kept.popitem(last=False)


@compiled_query
def _texts(subject: Subject, /, keys: list[int]) -> QuerySet[Any, Any]:
    rows = subject.rows().filter(pk__among=keys)
    return rows.values_list("content_hash", *subject.identity)
