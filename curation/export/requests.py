"""Export requests: the only code that queues exports."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from curation.errors import CurationError
from curation.export.options import ExportOptions
from curation.models import ExportRun, Release, RunState
from curation.queue.enqueue import enqueue


@transaction.atomic
def request_export(
    options: Mapping[str, Any],
    *,
    name: str = "",
    user: User | None,
    retry_of: ExportRun | None = None,
) -> ExportRun:
    """Queue an export. With the `name` of a release, the release is rebuilt."""
    requested = ExportOptions.from_json(options).as_json()
    release = Release.objects.filter(name=name).first() if name else None
    # An old release lacks options that were added later.
    if release is not None and ExportOptions.from_json(release.options).as_json() != requested:
        raise CurationError(
            f"There is a release {name} already, made with other options. Name another."
        )
    run = ExportRun.objects.create(
        options=requested, name=name, requested_by=user, retry_of=retry_of
    )
    enqueue(run)
    return run


def retry_export(run: ExportRun, *, requested_by: User | None, failed: bool) -> ExportRun:
    """Queue an export again with the same options, because its archive is gone."""
    if run.state == RunState.SUCCEEDED and run.archive_removed_at is None:
        raise CurationError(f"{run.label} has {run.state}: there is nothing to retry.")
    return request_export(run.options, name=run.name, user=requested_by, retry_of=run)
