"""Hardware and lowest Triton release of each kernel. Pairs follow the kernel's hardware."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice

from curation.models import Hardware, Kernel, Pair, Provenance, Repository
from ingest.classify import hardware, hardware_of_path
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


def settle_hardware(repository: Repository) -> None:
    """Set the hardware of a repository's kernels by their text and all live places.

    A kernel without a live place is not changed. Texts are read only if a place names hardware
    or the kernel has some. All other kernels are for CUDA.
    """
    here = Provenance.objects.filter(source_file__repository=repository).order_by()
    kernels = sorted(set(here.values_list("kernel_id", flat=True)))
    for chunk in _chunks(kernels):
        paths = _live_paths(chunk)
        named = [pk for pk, seen in paths.items() if any(map(hardware_of_path, seen))]
        rows = Kernel.objects.filter(pk__among=paths).exclude(hardware=Hardware.CUDA)
        suspects = {*named, *rows.values_list("pk", flat=True)}
        _settle(suspects, paths)


def _settle(suspects: Collection[int], paths: Mapping[int, Collection[str]]) -> None:
    pks_by_hardware: dict[str, list[int]] = defaultdict(list)
    columns = ("pk", "hardware", "standalone_source", "function_source")
    rows = Kernel.objects.filter(pk__among=suspects).order_by("pk")
    for pk, before, unit, function in rows.values_list(*columns):
        now = hardware(unit or function, paths[pk])
        if now != before:
            pks_by_hardware[now].append(pk)
    for value, pks in pks_by_hardware.items():
        Kernel.objects.filter(pk__among=pks).update(hardware=value)
        Pair.objects.filter(kernel__among=pks).update(hardware=value)


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
