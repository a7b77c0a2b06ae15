"""Requests for validations, used by the admin, the command line and the scheduler."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from curation.errors import CurationError
from curation.jobs.enqueue import enqueue
from curation.models import (
    Device,
    Pair,
    RunState,
    TriedCase,
    ValidationResult,
    ValidationRun,
    Verdict,
)
from validation.checkers import checker_for

# Verdicts that are more likely caused by the machine than by the item.
CRASHED = (Verdict.CRASHED,)
# Verdicts that may change in another attempt, or with another version of a library.
UNLUCKY = (Verdict.ERROR, Verdict.TIMEOUT, Verdict.FAILED)


class NothingToRetry(CurationError):
    """All items of the run have verdicts that another attempt would not change."""


# Pause of the scheduler after a run on the device failed or was canceled.
PATIENCE = timedelta(hours=1)


def request_validation(
    items: Iterable[Any],
    *,
    device: Device,
    requested_by: User | None = None,
    hand_over: bool = True,
    options: Mapping[str, Any] | None = None,
    retry_of: ValidationRun | None = None,
) -> list[ValidationRun]:
    """Queue runs for `items`. If `hand_over` is False, the caller executes the runs.

    `options` are passed to the device's checker. `retry_of` is the run that the new runs replace.
    """
    runs = []
    for batch in batches(items, device):
        with transaction.atomic():
            run = ValidationRun.objects.create(
                device=device,
                batch=[[item._meta.model_name, item.pk, item.content_hash] for item in batch],
                total=len(batch),
                requested_by=requested_by,
                options=dict(options or {}),
                retry_of=retry_of,
            )
            if hand_over:
                enqueue(run)
        runs.append(run)
    return runs


def retry_validation(
    run: ValidationRun, *, requested_by: User | None, failed: bool
) -> ValidationRun:
    """Queue the items of `run` that have no result, or whose newest result of all tries is a crash.

    `failed` adds the verdicts error, timeout and failed. Items with changed content are skipped.
    """
    device = Device(run.device)
    model = checker_for(device).model
    again = {*CRASHED, *(UNLUCKY if failed else ())}
    items = model._default_manager.filter(pk__in=to_check_again(run, again)).order_by("pk")
    requested = {(key, content) for _, key, content in run.batch}
    same = [
        item
        for item in items.only("pk", "content_hash")
        if (item.pk, item.content_hash) in requested
    ]
    if not same:
        hint = "" if failed else " Ask for those with the verdict error, timeout or failed as well."
        raise NothingToRetry(f"{run.label}: every item has a result and none crashed.{hint}")
    first, *_ = request_validation(
        same, device=device, requested_by=requested_by, options=run.options, retry_of=run
    )
    return first


def request_case(
    pair: Pair,
    *,
    place: int,
    instead: Mapping[str, Any],
    change: str,
    program: str = "",
    requested_by: User | None,
    retry_of: TriedCase | None = None,
) -> TriedCase:
    """Queue one case of a pair's test, on the installation's default device.

    program: grid program whose values to show, as in `TriedCase`. It needs the interpreter.
    """
    with transaction.atomic():
        run = TriedCase.objects.create(
            pair=pair,
            content_hash=pair.content_hash,
            device=Device.INTERPRETER if program else settings.VALIDATION_DEVICE,
            place=place,
            instead=dict(instead),
            change=change,
            program=program,
            requested_by=requested_by,
            retry_of=retry_of,
        )
        enqueue(run)
    return run


def retry_case(run: TriedCase, *, requested_by: User | None, failed: bool) -> TriedCase:
    """Queue the same case again, with the pair's current content."""
    return request_case(
        run.pair,
        place=run.place,
        instead=run.instead,
        change=run.change,
        program=run.program,
        requested_by=requested_by,
        retry_of=run,
    )


def to_check_again(run: ValidationRun, again: set[Verdict]) -> set[int]:
    """Return the keys of items whose newest verdict is in `again`, or that have no verdict."""
    column = "kernel_id" if run.device == Device.COMPILER else "pair_id"
    results = ValidationResult.objects.filter(Q(run=run) | Q(run__retry_of=run)).order_by("pk")
    newest = dict(results.values_list(column, "verdict"))
    return {key for _, key, _ in run.batch if newest.get(key, Verdict.CRASHED) in again}


def without_verdict(items: QuerySet[Any], device: Device) -> QuerySet[Any]:
    """Return the `items` whose content has no verdict on `device`, and that are in no live run."""
    kind = items.model._meta.model_name
    results = ValidationResult.objects.filter(
        run__device=device, **{kind: OuterRef("pk")}, content_hash=OuterRef("content_hash")
    )
    requested = {
        key
        for batch in ValidationRun.objects.live()
        .filter(device=device)
        .values_list("batch", flat=True)
        for named, key, _ in batch
        if named == kind
    }
    return items.filter(~Exists(results)).exclude(pk__in=requested)


def queue_uncompiled() -> int:
    """Queue compile runs for new kernels, a few at a time. The scheduler calls this.

    An ingest does not queue them itself, so an interrupted ingest leaves no kernel without a run.
    """
    device = Device.COMPILER
    runs = ValidationRun.objects.filter(device=device)
    room = settings.COMPILES_AT_ONCE - runs.live().count()
    lately = timezone.now() - PATIENCE
    stopped = runs.filter(state__in=(RunState.FAILED, RunState.CANCELLED), finished_at__gte=lately)
    if room <= 0 or stopped.exists():
        return 0
    checker = checker_for(device)
    items = without_verdict(checker.eligible(), device).only("pk", "content_hash")
    return len(request_validation(items.order_by("pk")[: room * checker.batch], device=device))


def batches(items: Iterable[Any], device: Device) -> Iterator[list[Any]]:
    iterator, size = iter(items), checker_for(device).batch
    while batch := list(islice(iterator, size)):
        yield batch
