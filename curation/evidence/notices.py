"""What must travel with a kernel that is given away: whose it is, and on which terms."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from curation.evidence.places import Place, places_of
from curation.evidence.sources import every_source
from curation.models import License, SourceText


@dataclass(frozen=True, slots=True)
class Text:
    """A licence file of a repository, or the standard text of an expression (then without path)."""

    path: str
    text: str


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
    texts = texts_named({sha256 for place in giving.values() for _, sha256 in place.terms.texts})
    standard = standard_texts({place.expression or "" for place in giving.values()})
    return {kernel: _notice(place, texts, standard) for kernel, place in giving.items()}


def texts_named(names: Collection[str]) -> dict[str, str]:
    return dict(SourceText.objects.filter(sha256__among=names).values_list("sha256", "text"))


def standard_texts(expressions: Collection[str]) -> dict[str, str]:
    """For works that carry no licence file of their own."""
    rows = License.objects.filter(expression__among=expressions).exclude(text="")
    return dict(rows.values_list("expression", "text"))


def _notice(place: Place, texts: Mapping[str, str], standard: Mapping[str, str]) -> Notice:
    expression, terms = place.expression or "", place.terms
    found: Sequence[Text] = [Text(path, texts[sha]) for path, sha in terms.texts if sha in texts]
    if not found and expression in standard:
        found = [Text("", standard[expression])]
    return Notice(place.pk, expression, terms.copyrights, tuple(found))
