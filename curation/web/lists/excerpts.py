"""Excerpts of code for the rows of a list: the line that contains the searched text."""

from collections.abc import Sequence

from django.db.models import F, IntegerField, Value
from django.db.models.functions import Cast, Greatest, StrIndex, Substr, Upper

from curation.search.condition import TRIGRAM
from curation.search.indexes import SEARCHED
from curation.search.matching import Model

# Characters read before and after a hit, and shown of its line.
BEFORE, AROUND, SHOWN = 120, 320, 160


def excerpts(model: Model, pks: Sequence[int], texts: Sequence[str]) -> dict[int, str]:
    """Return the first line that contains the first of `texts`, by key.

    Only the characters around the hit are read, because a text may have megabytes.
    """
    text = next((text for text in texts if len(text) >= TRIGRAM), "")
    if not text or not pks:
        return {}
    lines: dict[int, str] = {}
    for column in SEARCHED[model._meta.db_table][1:]:
        rows = (
            model._default_manager.filter(pk__among=list(pks))
            .annotate(at=StrIndex(Upper(column), Upper(Value(text))))
            .filter(at__gt=0)
            .annotate(begin=Greatest(F("at") - BEFORE, Value(1)))
            .annotate(part=Substr(column, Cast("begin", IntegerField()), AROUND))
        )
        for pk, at, begin, part in rows.values_list("pk", "at", "begin", "part"):
            lines.setdefault(pk, _line(part, at - begin))
    return lines


def _line(part: str, place: int) -> str:
    """Return the line at an offset of `part`, stripped and cut."""
    start = part.rfind("\n", 0, place) + 1
    end = part.find("\n", place)
    line = part[start : end if end >= 0 else len(part)].strip()
    return line[:SHOWN]
