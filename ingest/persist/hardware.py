"""Hardware of each kernel. The pairs of a kernel get the same hardware."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import Q

from curation.models import Hardware, Kernel, Pair, Provenance, Repository
from ingest.classify import hardware, hardware_of_path, hardware_of_text


def changed_hardware(repository: Repository) -> dict[str, list[int]]:
    """Return the kernels of a repository whose hardware has changed, by their new hardware.

    Kernels without current provenance are left out. A text is parsed only if a path names hardware,
    or if the kernel is not for CUDA. This takes seconds, so call it outside of transactions.
    """
    here = Provenance.objects.filter(source_file__repository=repository).order_by()
    live = Provenance.objects.filter(kernel__in=here.values("kernel"), retired_at=None).order_by()
    paths: dict[int, set[str]] = defaultdict(set)
    for pk, path in live.values_list("kernel_id", "source_file__path"):
        paths[pk].add(path)
    named = [pk for pk, seen in paths.items() if any(map(hardware_of_path, seen))]
    rows = Kernel.objects.filter(Q(pk__among=named) | ~Q(hardware=Hardware.CUDA))
    rows = rows.filter(pk__among=paths).order_by("pk")
    changed: dict[str, list[int]] = defaultdict(list)
    texts = rows.values_list("pk", "hardware", "standalone_source", "function_source")
    for pk, before, unit, function in texts.iterator():
        now = hardware(hardware_of_text(unit or function), paths[pk])
        if now != before:
            changed[now].append(pk)
    return changed


def store_hardware(changed: Mapping[str, Sequence[int]]) -> None:
    for value, pks in changed.items():
        Kernel.objects.filter(pk__among=pks).update(hardware=value)
        Pair.objects.filter(kernel__among=pks).update(hardware=value)
