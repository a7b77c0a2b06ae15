"""What must travel with a kernel that is given away: whose it is, and on which terms."""

from collections.abc import Collection
from dataclasses import dataclass

from curation.models import LicenseVerdict, Provenance, SourceText


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

    Of several places the one of the most known repository is taken, then the oldest. A handful of
    queries, however many kernels.
    """
    places: dict[int, Provenance] = {}
    for place in _places(kernels):
        places.setdefault(place.kernel_id, place)
    wanted = {sha256 for place in places.values() for _, sha256 in place.license_texts}
    texts = dict(SourceText.objects.filter(sha256__in=wanted).values_list("sha256", "text"))
    return {kernel: _notice(place, texts) for kernel, place in places.items()}


def _places(kernels: Collection[int]) -> list[Provenance]:
    rows = Provenance.objects.filter(
        kernel__in=kernels, retired_at=None, license_verdict=LicenseVerdict.PERMISSIVE
    ).select_related("license", "source_file__repository")
    return sorted(rows, key=lambda row: (-(row.source_file.repository.stars or 0), row.pk))


def _notice(place: Provenance, texts: dict[str, str]) -> Notice:
    assert place.license is not None, "a permissive place names its licence"  # noqa: S101
    found = tuple(Text(path, texts[sha]) for path, sha in place.license_texts if sha in texts)
    if not found and place.license.text:
        found = (Text("", place.license.text),)
    return Notice(place.pk, place.license.expression, tuple(place.copyrights), found)
