"""LRU cache of shingles, which are read when two items are compared."""

from collections import OrderedDict
from collections.abc import Mapping

from curation.evidence.subjects import Subject, chunks, identity_shingles
from curation.similarity.shingles import Shingles

KEPT = 10_000
"""Some 30 MB. A text is needed repeatedly while its cluster is processed."""

_kept: OrderedDict[tuple[str, str], Shingles] = OrderedDict()


def known_shingles(subject: Subject, keys: Mapping[str, int]) -> dict[str, Shingles]:
    """Return shingles by content hash; `keys` maps each content to its item."""
    shingles: dict[str, Shingles] = {}
    missing: list[int] = []
    for content, key in keys.items():
        cached = _kept.get((subject.name, content))
        if cached is None:
            missing.append(key)
        else:
            _kept.move_to_end((subject.name, content))
            shingles[content] = cached
    for chunk in chunks(missing):
        items = subject.rows().filter(pk__among=chunk)
        rows = list(items.values_list("content_hash", *subject.identity))
        read = identity_shingles([texts for _, *texts in rows])
        made = {content: one for (content, *_), one in zip(rows, read, strict=True)}
        keep_shingles(subject, made)
        shingles |= made
    return shingles


def keep_shingles(subject: Subject, by_content: Mapping[str, Shingles]) -> None:
    """Cache shingles by content hash, so that their texts need not be read again."""
    for content, shingles in by_content.items():
        _kept[subject.name, content] = shingles
    while len(_kept) > KEPT:
        _kept.popitem(last=False)
