"""End of a run: vanished rows are retired, returned rows restored, versions linked."""

from collections.abc import Collection

from django.utils import timezone

from curation.decisions.decide import decide_by_policy
from curation.models import Decision, Kernel, Provenance, Repository, Role, SourceFile, Status

VANISHED = "ingest: not in its repository any more"
RETURNED = "ingest: in its repository again"
BENCHMARK = "ingest: held by a benchmark"


def close(repository: Repository, files_gone: Collection[int], present: Collection[int]) -> int:
    """Retire vanished kernels, restore returned kernels, and return the number of retired ones."""
    now = timezone.now()
    SourceFile.objects.filter(pk__among=files_gone).update(retired_at=now)
    current = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    vanished = [pk for pk in current.values_list("pk", flat=True) if pk not in present]
    Provenance.objects.filter(pk__among=vanished).update(retired_at=now)
    _link_versions(vanished, repository)
    if repository.role == Role.BENCHMARK:
        _keep_out(repository)
    _restore(repository)
    return _retire(vanished)


def _retire(places: Collection[int]) -> int:
    """Retire the kernels of these provenance rows, unless they have a current provenance row."""
    rows = Kernel.objects.filter(provenances__among=places).exclude(status=Status.RETIRED)
    vanished = rows.exclude(provenances__in=Provenance.objects.filter(retired_at=None))
    return decide_by_policy(items=vanished.distinct(), status=Status.RETIRED, rules=VANISHED)


def _restore(repository: Repository) -> None:
    """Give each returned kernel the status that it had before it vanished."""
    current = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    returned = Kernel.objects.filter(status=Status.RETIRED, provenances__in=current).distinct()
    for kernel in returned:
        newest = Decision.objects.filter(kernel=kernel).first()
        if newest is not None and newest.rules == VANISHED:
            status = Status(newest.previous_status)
            decide_by_policy(
                items=Kernel.objects.filter(pk=kernel.pk), status=status, rules=RETURNED
            )


def _keep_out(repository: Repository) -> None:
    here = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    decide_by_policy(
        items=Kernel.objects.filter(provenances__in=here)
        .exclude(status=Status.REJECTED)
        .distinct(),
        status=Status.REJECTED,
        rules=BENCHMARK,
        comment=f"{repository} measures models by it.",
    )


def _link_versions(vanished: Collection[int], repository: Repository) -> None:
    """Link each new kernel as the next version of a vanished kernel with the same path and name."""
    columns = ("source_file__path", "qualname", "kernel_id")
    gone = Provenance.objects.filter(pk__among=vanished).order_by("pk").values_list(*columns)
    older_kernels = {(path, qualname): kernel for path, qualname, kernel in gone}
    if not older_kernels:
        return
    current = Provenance.objects.filter(
        source_file__repository=repository, retired_at=None, kernel__previous=None
    )
    for path, qualname, kernel in current.order_by("pk").values_list(*columns):
        older = older_kernels.get((path, qualname))
        # If an older version returns, it is not the next version of the newer one.
        if older is not None and older < kernel:
            Kernel.objects.filter(pk=kernel, previous=None).update(previous=older)
