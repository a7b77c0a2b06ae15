"""The end of a run: what was not seen any more is retired, versions are linked."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice

from django.utils import timezone

from curation.models import Decision, Kernel, Provenance, Repository, Role, SourceFile, Status
from curation.review.decisions import decide_by_policy

VANISHED = "ingest: not in its repository any more"
RETURNED = "ingest: in its repository again"
BENCHMARK = "ingest: held by a benchmark"

# Databases bound the number of parameters of one statement.
CHUNK = 500


def close(repository: Repository, files_gone: Collection[int], seen: Collection[int]) -> int:
    """Retire what is gone, restore what came back, and say how many kernels are retired."""
    now = timezone.now()
    for chunk in _chunks(files_gone):
        SourceFile.objects.filter(pk__among=chunk).update(retired_at=now)
    current = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    gone = [pk for pk in current.values_list("pk", flat=True) if pk not in seen]
    for chunk in _chunks(gone):
        Provenance.objects.filter(pk__among=chunk).update(retired_at=now)
    _link_versions(gone, repository)
    if repository.role == Role.BENCHMARK:
        _keep_out(repository)
    _restore(repository)
    return _retire(gone)


def _retire(gone: Collection[int]) -> int:
    """A kernel is retired when none of the places where it was seen holds it any more."""
    retired = 0
    for chunk in _chunks(gone):
        rows = Kernel.objects.filter(provenances__among=chunk).exclude(status=Status.RETIRED)
        vanished = rows.exclude(provenances__in=Provenance.objects.filter(retired_at=None))
        retired += decide_by_policy(
            items=vanished.distinct(), status=Status.RETIRED, rules=VANISHED
        )
    return retired


def _restore(repository: Repository) -> None:
    """What comes back gets the status that it had when it vanished."""
    here = Provenance.objects.filter(source_file__repository=repository, retired_at=None)
    back = Kernel.objects.filter(status=Status.RETIRED, provenances__in=here).distinct()
    for kernel in back:
        newest = Decision.objects.filter(kernel=kernel).first()
        if newest is not None and newest.rules == VANISHED:
            before = Status(newest.previous_status)
            decide_by_policy(
                items=Kernel.objects.filter(pk=kernel.pk), status=before, rules=RETURNED
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


def _link_versions(gone: Collection[int], repository: Repository) -> None:
    """A kernel that stands where another one was is its next version."""
    before: dict[tuple[str, str], int] = {}
    for chunk in _chunks(gone):
        places = Provenance.objects.filter(pk__among=chunk).order_by("pk")
        for path, qualname, kernel in places.values_list(
            "source_file__path", "qualname", "kernel_id"
        ):
            before[path, qualname] = kernel
    if not before:
        return
    places = Provenance.objects.filter(
        source_file__repository=repository, retired_at=None, kernel__previous=None
    ).order_by("pk")
    for path, qualname, kernel in places.values_list("source_file__path", "qualname", "kernel_id"):
        older = before.get((path, qualname))
        # An older version that comes back is not the next one of the newer.
        if older is not None and older < kernel:
            Kernel.objects.filter(pk=kernel, previous=None).update(previous=older)


def _chunks(items: Iterable[int]) -> Iterator[list[int]]:
    iterator = iter(items)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk
