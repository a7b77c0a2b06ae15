"""What must travel with a kernel that is given away: whose it is, and on which terms."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from django.db.models import TextField
from django.db.models.functions import Cast

from curation.evidence.places import Place, places_of
from curation.evidence.sources import every_source
from curation.models import License, Provenance, SourceText


@dataclass(frozen=True, slots=True)
class Text:
    """A licence file of a repository, or the standard text of an expression (then without path)."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What a place asks for, its texts by their names: a sha256."""

    copyrights: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Notice:
    """Of the one place that a kernel is taken from."""

    provenance: int
    expression: str
    copyrights: tuple[str, ...]
    texts: tuple[Text, ...]


def notices(kernels: Collection[int]) -> dict[int, Notice]:
    """A notice for each of these kernels that stands somewhere under a permissive licence.

    A handful of queries, however many kernels.
    """
    places = places_of(kernels, every_source())
    giving = {kernel: seen[0] for kernel, seen in places.items() if seen[0].gives}
    terms = terms_of(giving.values())
    texts = texts_named({sha256 for term in terms.values() for _, sha256 in term.texts})
    standard = standard_texts({place.expression or "" for place in giving.values()})
    return {
        kernel: _notice(place, terms[place.pk], texts, standard) for kernel, place in giving.items()
    }


def terms_of(places: Collection[Place]) -> dict[int, Terms]:
    """By the places' primary keys."""
    rows = Provenance.objects.filter(pk__among={place.pk for place in places}).order_by()
    # As JSON: a repository's places mostly say the same, which is read once.
    columns = (Cast(name, TextField()) for name in ("copyrights", "license_texts"))
    return {pk: _terms(*said) for pk, *said in rows.values_list("pk", *columns)}


@lru_cache(maxsize=4096)
def _terms(copyrights: str, texts: str) -> Terms:
    named = tuple((path, sha256) for path, sha256 in json.loads(texts))
    return Terms(tuple(json.loads(copyrights)), named)


def texts_named(names: Collection[str]) -> dict[str, str]:
    return dict(SourceText.objects.filter(sha256__among=names).values_list("sha256", "text"))


def standard_texts(expressions: Collection[str]) -> dict[str, str]:
    """For works that carry no licence file of their own."""
    rows = License.objects.filter(expression__among=expressions).exclude(text="")
    return dict(rows.values_list("expression", "text"))


def _notice(
    place: Place, terms: Terms, texts: Mapping[str, str], standard: Mapping[str, str]
) -> Notice:
    expression = place.expression or ""
    found: Sequence[Text] = [Text(path, texts[sha]) for path, sha in terms.texts if sha in texts]
    if not found and expression in standard:
        found = [Text("", standard[expression])]
    return Notice(place.pk, expression, terms.copyrights, tuple(found))
