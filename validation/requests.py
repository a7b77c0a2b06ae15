"""Asking for validations: the one way for the admin, the command line and the scheduler."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from itertools import islice
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from curation.models import Device, RunState, ValidationResult, ValidationRun
from curation.queue.enqueue import enqueue
from validation.checkers import checker_for

# After a failure that trying again did not mend, the scheduler leaves a device alone this long.
PATIENCE = timedelta(hours=1)


def request_validation(
    items: Iterable[Any],
    *,
    device: Device,
    requested_by: User | None = None,
    hand_over: bool = True,
    options: Mapping[str, Any] | None = None,
) -> list[ValidationRun]:
    """Queue runs for `items`. Without `hand_over` the caller carries them out itself. `options` say
    how, as far as the device's checker knows them."""
    runs = []
    for batch in batches(items, device):
        with transaction.atomic():
            run = ValidationRun.objects.create(
                device=device,
                batch=[[item._meta.model_name, item.pk, item.content_hash] for item in batch],
                total=len(batch),
                requested_by=requested_by,
                options=dict(options or {}),
            )
            if hand_over:
                enqueue(run)
        runs.append(run)
    return runs


def without_verdict(items: QuerySet[Any], device: Device) -> QuerySet[Any]:
    """Those of `items` whose present content has no verdict of `device`, nor is asked for one."""
    kind = items.model._meta.model_name
    seen = ValidationResult.objects.filter(
        run__device=device, **{kind: OuterRef("pk")}, content_hash=OuterRef("content_hash")
    )
    asked = {
        key
        for batch in ValidationRun.objects.live()
        .filter(device=device)
        .values_list("batch", flat=True)
        for named, key, _ in batch
        if named == kind
    }
    return items.filter(~Exists(seen)).exclude(pk__in=asked)


def queue_uncompiled() -> int:
    """A duty of the scheduler: kernels that came in get compiled, a few runs at a time.

    An ingest knows nothing of it, so nothing is lost where it ends early.
    """
    device = Device.COMPILER
    runs = ValidationRun.objects.filter(device=device)
    room = settings.COMPILES_AT_ONCE - runs.live().count()
    lately = timezone.now() - PATIENCE
    if room <= 0 or runs.filter(state=RunState.FAILED, finished_at__gte=lately).exists():
        return 0
    checker = checker_for(device)
    items = without_verdict(checker.eligible(), device).only("pk", "content_hash")
    return len(request_validation(items.order_by("pk")[: room * checker.batch], device=device))


def batches(items: Iterable[Any], device: Device) -> Iterator[list[Any]]:
    iterator, size = iter(items), checker_for(device).batch
    while batch := list(islice(iterator, size)):
        yield batch
