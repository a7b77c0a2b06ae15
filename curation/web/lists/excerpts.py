"""The line of an item's code that a search has found, for the rows of one page."""

from collections.abc import Sequence

from django.db.models import F, IntegerField, Value
from django.db.models.functions import Cast, Greatest, StrIndex, Substr, Upper

from curation.models import Kernel, Pair
from curation.search.condition import TRIGRAM
from curation.search.indexes import SEARCHED

# Characters of code around a hit, and of the line that is shown.
BEFORE, AROUND, SHOWN = 120, 320, 160


def excerpts(
    model: type[Kernel] | type[Pair], pks: Sequence[int], texts: Sequence[str]
) -> dict[int, str]:
    """Return the first line that contains the first of `texts`, by key.

    The database sends the characters around the hit, never a whole text.
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
    """Return the line of `part` at this place, cut at both ends."""
    start = part.rfind("\n", 0, place) + 1
    end = part.find("\n", place)
    line = part[start : end if end >= 0 else len(part)].strip()
    return line[:SHOWN]
