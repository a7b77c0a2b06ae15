"""Notices of distributed kernels: copyright lines and license texts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from curation.evidence.places import KernelPlace, places_of
from curation.evidence.sources import every_source
from curation.models import License, SourceText


@dataclass(frozen=True, slots=True)
class LicenseText:
    """A license file of a repository, or the standard text of an expression (with empty path)."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Notice of the one place that a kernel is taken from."""

    provenance: int
    expression: str
    copyrights: tuple[str, ...]
    texts: tuple[LicenseText, ...]


def notices(kernels: Collection[int]) -> dict[int, Notice]:
    """Return a notice for each kernel that has a place with a permissive license.

    The number of queries does not depend on the number of kernels.
    """
    places = places_of(kernels, every_source())
    giving = {kernel: seen[0] for kernel, seen in places.items() if seen[0].gives}
    texts = texts_named({sha256 for place in giving.values() for _, sha256 in place.terms.texts})
    standard = standard_texts({place.expression or "" for place in giving.values()})
    return {kernel: _notice(place, texts, standard) for kernel, place in giving.items()}


def texts_named(names: Collection[str]) -> dict[str, str]:
    return dict(SourceText.objects.filter(sha256__among=names).values_list("sha256", "text"))


def standard_texts(expressions: Collection[str]) -> dict[str, str]:
    """Return standard texts, for places without a license file of their own."""
    rows = License.objects.filter(expression__among=expressions).exclude(text="")
    return dict(rows.values_list("expression", "text"))


def _notice(place: KernelPlace, texts: Mapping[str, str], standard: Mapping[str, str]) -> Notice:
    expression, terms = place.expression or "", place.terms
    files: Sequence[LicenseText] = [
        LicenseText(path, texts[sha]) for path, sha in terms.texts if sha in texts
    ]
    if not files and expression in standard:
        files = [LicenseText("", standard[expression])]
    return Notice(place.pk, expression, terms.copyrights, tuple(files))
