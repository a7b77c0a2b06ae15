"""Hardware and lowest Triton release of each kernel. Pairs follow the kernel's hardware."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from django.db.models import Q

from curation.models import Hardware, Kernel, Pair, Provenance, Repository
from ingest.classify import hardware, hardware_of_path, hardware_of_text
from ingest.evidence import Evidence

CHUNK = 500


def renew_requirements(evidence_by_pk: Mapping[int, Evidence]) -> None:
    """Bring known kernels up to today's rules about their text."""
    changed = []
    rows = Kernel.objects.filter(pk__among=evidence_by_pk).order_by("pk")
    for row in rows.only("pk", "hardware", "min_triton"):
        evidence = evidence_by_pk[row.pk]
        # If the text names no hardware, `settle_hardware` looks at all places.
        columns = (evidence.hardware or row.hardware, evidence.min_triton)
        if columns != (row.hardware, row.min_triton):
            row.hardware, row.min_triton = columns
            changed.append(row)
    Kernel.objects.bulk_update(changed, ("hardware", "min_triton"))


def read_texts(repository: Repository) -> dict[int, str]:
    """Return the hardware that texts name, by kernel, for all that `settle_hardware` may ask for.

    Parsing them takes seconds, in which no transaction should be open.
    """
    named: dict[int, str] = {}
    for chunk in _chunks(_kernels_of(repository)):
        named |= _named_by_text(_suspects(_live_paths(chunk)))
    return named


def settle_hardware(repository: Repository, named: Mapping[int, str]) -> None:
    """Set the hardware of a repository's kernels by their text and all live places.

    A kernel without a live place is not changed. Texts are read only if a place names hardware
    or the kernel has some. All other kernels are for CUDA.

    named: the result of `read_texts`.
    """
    for chunk in _chunks(_kernels_of(repository)):
        paths = _live_paths(chunk)
        suspects = _suspects(paths)
        # Another repository may have added places since.
        unread = _named_by_text(suspects.keys() - named.keys())
        pks_by_hardware: dict[str, list[int]] = defaultdict(list)
        for pk, before in suspects.items():
            now = hardware(named[pk] if pk in named else unread[pk], paths[pk])
            if now != before:
                pks_by_hardware[now].append(pk)
        for value, pks in pks_by_hardware.items():
            Kernel.objects.filter(pk__among=pks).update(hardware=value)
            Pair.objects.filter(kernel__among=pks).update(hardware=value)


def _kernels_of(repository: Repository) -> list[int]:
    here = Provenance.objects.filter(source_file__repository=repository).order_by()
    return sorted(set(here.values_list("kernel_id", flat=True)))


def _suspects(paths: Mapping[int, Collection[str]]) -> dict[int, str]:
    """Return the present hardware of each kernel that may be for other hardware than CUDA."""
    named = [pk for pk, seen in paths.items() if any(map(hardware_of_path, seen))]
    rows = Kernel.objects.filter(Q(pk__among=named) | ~Q(hardware=Hardware.CUDA))
    rows = rows.filter(pk__among=paths).order_by("pk")
    return dict(rows.values_list("pk", "hardware"))


def _named_by_text(kernels: Collection[int]) -> dict[int, str]:
    rows = Kernel.objects.filter(pk__among=kernels).order_by("pk")
    texts = rows.values_list("pk", "standalone_source", "function_source")
    return {pk: hardware_of_text(unit or function) for pk, unit, function in texts}


def _live_paths(kernels: Collection[int]) -> dict[int, set[str]]:
    paths: dict[int, set[str]] = defaultdict(set)
    live = Provenance.objects.filter(kernel__among=kernels, retired_at=None).order_by()
    for kernel, path in live.values_list("kernel_id", "source_file__path"):
        paths[kernel].add(path)
    return paths


def _chunks(items: Iterable[int]) -> Iterator[list[int]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
