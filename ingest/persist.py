"""The last stage: candidates become rows. Running it twice writes nothing more."""

from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from curation.models import Drop, IngestRun, Kernel, Provenance, SourceFile
from curation.queue.attempt import Attempt
from ingest.candidate import Candidate, Dropped, SourceText


def store(
    run: IngestRun, attempt: Attempt[IngestRun], items: Sequence[Candidate | Dropped]
) -> Counter[str]:
    """Write a batch, and say how many kernels were found, new and dropped.

    The renewed lease and the rows stand or fall together: an attempt that was given up writes
    nothing.
    """
    found = [item for item in items if isinstance(item, Candidate)]
    dropped = [item for item in items if isinstance(item, Dropped)]
    with transaction.atomic():
        attempt.renew(stage="persist")
        files = _files(run, {item.file.path: item.file for item in found})
        kernels, new = _kernels(found)
        _provenances(found, files, kernels)
        _drops(run, dropped)
    return Counter(found=len(found), new=new, dropped=len(dropped))


def _files(run: IngestRun, texts: dict[str, SourceText]) -> dict[str, SourceFile]:
    rows = {
        row.path: row
        for row in SourceFile.objects.filter(
            repository=run.repository, path__in=texts, retired_at=None
        )
    }
    for path, text in texts.items():
        current = rows.get(path)
        if current is not None and current.blob_hash == text.blob_hash:
            continue
        if current is not None:
            SourceFile.objects.filter(pk=current.pk).update(retired_at=timezone.now())
        # A file may return to a content that it had before.
        rows[path], _ = SourceFile.objects.update_or_create(
            repository=run.repository,
            path=path,
            blob_hash=text.blob_hash,
            defaults={"retired_at": None},
            create_defaults={
                "commit": run.commit,
                "sha256": text.sha256,
                "size": text.size,
                "lines": text.lines,
            },
        )
    return rows


def _kernels(found: Sequence[Candidate]) -> tuple[dict[str, int], int]:
    wanted = {item.content_hash: item for item in found}
    known = _known(wanted)
    missing = [item for name, item in wanted.items() if name not in known]
    if missing:
        # Another worker may write the same kernel from its own repository at this moment.
        Kernel.objects.bulk_create(
            [
                Kernel(
                    content_hash=item.content_hash,
                    name=item.name,
                    kind=item.kind,
                    language=item.language,
                    function_source=item.function_source,
                    standalone_source=item.standalone_source,
                    standalone=True,
                    lines=item.standalone_source.count("\n") + 1,
                )
                for item in missing
            ],
            ignore_conflicts=True,
        )
        known = _known(wanted)
    return known, len(missing)


def _known(wanted: dict[str, Candidate]) -> dict[str, int]:
    rows = Kernel.objects.filter(content_hash__in=wanted).values_list("content_hash", "pk")
    return dict(rows)


def _provenances(
    found: Sequence[Candidate], files: dict[str, SourceFile], kernels: dict[str, int]
) -> None:
    wanted = {
        (files[item.file.path].pk, item.start_line, item.end_line, item.qualname): item
        for item in found
    }
    known = set(
        Provenance.objects.filter(source_file__in=files.values()).values_list(
            "source_file_id", "start_line", "end_line", "qualname", "kernel_id"
        )
    )
    Provenance.objects.bulk_create(
        Provenance(
            kernel_id=kernels[item.content_hash],
            source_file_id=key[0],
            qualname=item.qualname,
            container=item.container,
            start_line=item.start_line,
            end_line=item.end_line,
            sha256=item.sha256,
        )
        for key, item in wanted.items()
        if (*key, kernels[item.content_hash]) not in known
    )


def _drops(run: IngestRun, dropped: Sequence[Dropped]) -> None:
    Drop.objects.bulk_create(
        Drop(
            run=run,
            stage=item.stage,
            path=item.path,
            qualname=item.qualname,
            line=item.line,
            reason=item.reason,
            message=item.message,
        )
        for item in dropped
    )
