"""Kernels in the database for tests, each with texts of its own and a place in a repository."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from curation.evidence import item_facts
from curation.evidence.subjects import KERNEL, identity_texts
from curation.identity import content_hash
from curation.models import (
    DuplicateLink,
    Kernel,
    LicenseVerdict,
    Pair,
    Repository,
    SourceFile,
    SourceText,
)
from curation.similarity.fingerprint import fingerprints
from tests import factories as make
from tests.curation.similarity.clustering import ClusterItem, cluster
from tests.curation.similarity.kernels import unrelated


def put(
    text: str,
    *,
    unit: str | None = None,
    repository: Repository | None = None,
    stars: int | None = None,
    documented: bool = False,
    inherited: bool = True,
    **over: Any,
) -> Kernel:
    """A kernel of this text at one place, whose licence is `inherited` from its repository."""
    repository = repository or make.a_repository(stars=stars)
    verdict = over.setdefault("license_verdict", LicenseVerdict.UNKNOWN)
    if verdict == LicenseVerdict.PERMISSIVE:
        over.setdefault("license", make.a_license())
    unit = text if unit is None else unit
    kernel = make.a_kernel(
        content_hash=content_hash(unit), function_source=text, standalone_source=unit, **over
    )
    make.a_provenance(
        kernel=kernel,
        source_file=make.a_source_file(repository=repository),
        license=kernel.license,
        license_verdict=verdict,
        license_inherited=inherited,
    )
    if documented:
        make.a_finding(kernel=kernel, gate="docstring", passed=True)
    return kernel


def representatives(model: type[Kernel] | type[Pair]) -> QuerySet[Any]:
    """Return the compared items that no other item represents."""
    return model._default_manager.filter(fingerprints__placed=True, duplicatelinks=None)


def uncontaminated(model: type[Kernel] | type[Pair]) -> QuerySet[Any]:
    """Return the items that were compared with every benchmark, and overlap none."""
    return model._default_manager.filter(
        fingerprints__compared_with__gt="", contaminationmatchs=None
    )


def put_benchmark(*texts: str, path: str = "level1/{}.py", **over: Any) -> Repository:
    """A benchmark with one file for each text."""
    benchmark = make.a_benchmark(**over)
    for number, text in enumerate(texts):
        put_file(benchmark, path.format(number), text)
    return benchmark


def put_file(repository: Repository, path: str, text: str) -> SourceFile:
    sha256 = make.sha(text)
    SourceText.objects.get_or_create(sha256=sha256, defaults={"text": text})
    return make.a_source_file(
        repository=repository, path=path, sha256=sha256, blob_hash=sha256[:40]
    )


def variant(seed: int, number: int) -> str:
    """Of one seed: exact twins for each third number, near ones and less near ones else."""
    lines = unrelated(seed).splitlines()
    for extra in range(number % 3 * 2):
        lines.insert(8 + extra, f"    extra{number}_{extra} = at + {number} * {extra}")
    return "\n".join([f"# {number}", *lines, ""])


def links() -> dict[int, int]:
    """Each represented kernel's representative."""
    return dict(DuplicateLink.objects.values_list("kernel_id", "of_kernel_id"))


def clustered_at_once() -> dict[int, int]:
    """The same, by the pure rule over all that takes part."""
    rows = Kernel.objects.values_list("pk", "content_hash", *KERNEL.identity)
    found = item_facts.present(KERNEL, [row[0] for row in rows])
    live = [row for row in rows if found[row[0]].placed]
    prints = fingerprints(identity_texts([texts for _, _, *texts in live]))
    placed = cluster(
        ClusterItem(pk, found[pk].facts(content), one)
        for (pk, content, *_), one in zip(live, prints, strict=True)
    )
    return {key: link.of for key, link in placed.items() if link}
