"""Requests for exports and pushes. Only this module queues them."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from curation.errors import CurationError
from curation.export.options import ExportOptions, check_name
from curation.export.release.push import check_push
from curation.jobs.enqueue import enqueue
from curation.models import ExportRun, Release, RunState


@transaction.atomic
def request_export(
    options: Mapping[str, Any],
    *,
    name: str = "",
    user: User | None,
    retry_of: ExportRun | None = None,
) -> ExportRun:
    """Queue an export. If `name` is the name of an existing release, queue its rebuild."""
    requested = ExportOptions.from_json(options).as_json()
    release = Release.objects.filter(name=name).first() if name else None
    if release is None:
        check_name(name)
    # Compare complete options, because an old release lacks options that were added later.
    if release is not None and ExportOptions.from_json(release.options).as_json() != requested:
        raise CurationError(
            f"There is a release {name} already, made with other options. Name another."
        )
    run = ExportRun.objects.create(
        options=requested, name=name, requested_by=user, retry_of=retry_of
    )
    enqueue(run)
    return run


@transaction.atomic
def request_push(
    release: Release,
    repository: str,
    *,
    private: bool = False,
    replace: bool = False,
    user: User | None,
    retry_of: ExportRun | None = None,
) -> ExportRun:
    """Queue the upload of a finished release to the dataset repository OWNER/NAME."""
    check_push(repository)
    run = ExportRun.objects.create(
        options=release.options, name=release.name, release=release, push_to=repository,
        push_private=private, push_replace=replace, requested_by=user, retry_of=retry_of,
    )  # fmt: skip
    enqueue(run)
    return run


def retry_export(run: ExportRun, *, requested_by: User | None, failed: bool) -> ExportRun:
    """Queue an ended push or export again. A successful one is refused if its archive exists."""
    if run.state == RunState.SUCCEEDED and run.archive_removed_at is None:
        raise CurationError(f"{run.label} has {run.state}: there is nothing to retry.")
    if run.push_to and run.release:
        return request_push(
            run.release, run.push_to, private=run.push_private, replace=run.push_replace,
            user=requested_by, retry_of=run,
        )  # fmt: skip
    return request_export(run.options, name=run.name, user=requested_by, retry_of=run)
