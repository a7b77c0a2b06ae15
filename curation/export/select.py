"""Selection of the items of an export: one pass over the rows, through the gates.

A selected item becomes a record at once. All records are in memory until the files are written:
56,000 records of 2 kB take 0.9 GB (2026-11-30).
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource, every_source
from curation.evidence.subjects import chunks
from curation.export import facts
from curation.export.approvals import PERSON
from curation.export.facts import ExportItem, text_columns
from curation.export.gates import Exclusion, ExclusionReason, first_exclusion
from curation.export.notices import Notices, texts_named
from curation.export.options import ExportOptions, ProgressCallback
from curation.export.records import RecordBuilder
from curation.export.statistics import ExportPlan, Funnel
from curation.models import Kernel, Pair, Provenance, SourceFile
from curation.search.filters import Filter
from curation.tokens import tokenizer_of

FILES = 200

Batch: TypeAlias = "list[tuple[ExportItem, Exclusion | None]]"


def select(options: ExportOptions, progress: ProgressCallback, *, brief: bool) -> ExportPlan:
    """Examine every kernel and pair. Return the selected items as records without splits."""
    sources = every_source()
    plan = ExportPlan(sources, Notices(sources), Funnel())
    builder = RecordBuilder(options, sources, plan.notices, brief=brief)
    for batch in _batches(options, sources):
        kind = batch[0][0].kind
        plan.funnel.seen[kind] += len(batch)
        admitted = []
        for item, why in batch:
            if why is None:
                admitted.append(item)
                for part in item.parts or [item]:
                    _count_approval(plan, part)
            else:
                plan.leave_out(kind, item.name, item.content_hash, why, item.places)
        _count_tokens(admitted, options)
        plan.records[kind] += builder.records(kind, admitted)
        progress(f"{kind}s weighed", plan.funnel.seen[kind])
    for records in plan.records.values():
        records.sort(key=lambda record: record.content_hash)
    return plan


def _batches(options: ExportOptions, sources: Mapping[int, ExportSource]) -> Iterator[Batch]:
    """Yield the items that the filter matches, each with the first exclusion, if any."""
    where = Filter.from_text(options.where)
    kernels, pairs = where.of(Kernel.objects.all()), where.of(Pair.objects.all())
    if options.unit == "file":
        yield from _files(where, options, sources)
        items = facts.pairs(pairs, sources)
    else:
        texts = text_columns(options)
        items = chain(facts.kernels(kernels, sources, texts), facts.pairs(pairs, sources))
    for batch in items:
        yield [(item, first_exclusion(item, options)) for item in batch]


def _count_approval(plan: ExportPlan, item: ExportItem) -> None:
    """Record who approved an item, and whether the newest decisions of all its reviewers agree."""
    if item.reviewed and item.approver:
        plan.people.add(item.approver.user)
    words = {
        decision.user: decision.status
        for decision in sorted(item.decisions)
        if decision.actor == PERSON
    }
    if len(words) > 1:
        plan.agreement["agreed" if len(set(words.values())) == 1 else "disputed"] += 1


def _count_tokens(items: Sequence[ExportItem], options: ExportOptions) -> None:
    """Count tokens if the rows hold no number for these texts and this tokenizer."""
    stored = options.unit == "file" or (options.unit == "standalone" and not options.with_launcher)
    if not options.tokenizer and (stored or all(item.kind == "pair" for item in items)):
        return
    texts = ["\n".join(item.texts) for item in items]
    for item, tokens in zip(items, tokenizer_of(options.tokenizer).count(texts), strict=True):
        item.tokens = tokens


# --- Files as the unit -----------------------------------------------------------------------
# Reasons that exclude a kernel, but not its file, unless all its kernels are excluded.
HARMLESS = frozenset({ExclusionReason.DUPLICATE, ExclusionReason.NOT_STANDALONE})


def _files(
    where: Filter, options: ExportOptions, sources: Mapping[int, ExportSource]
) -> Iterator[Batch]:
    """Yield every current file that contains kernels. If several have equal content, yield one.

    A file is excluded if all its kernels are, or if one is for a reason that is not in HARMLESS.
    """
    rows = SourceFile.objects.filter(
        retired_at=None, provenances__retired_at=None,
        provenances__kernel__in=where.of(Kernel.objects.all()),
    )  # fmt: skip
    columns = ("sha256", "pk", "path", "commit", "lines", "tokens", "repository_id")
    ordered = rows.distinct().order_by("sha256", "repository__name", "path").values(*columns)
    first: dict[str, dict[str, Any]] = {}
    for row in ordered.iterator():
        first.setdefault(row["sha256"], row)
    for files in chunks(first.values(), FILES):
        inside = _kernels_of([file["pk"] for file in files], sources)
        texts = texts_named([file["sha256"] for file in files])
        yield [
            (_file_item(file, kernels, texts.get(file["sha256"], ""), sources),
             _file_exclusion(file, kernels, options))
            for file in files
            for kernels in [inside[file["pk"]]]
        ]  # fmt: skip


def _kernels_of(
    pks: Sequence[int], sources: Mapping[int, ExportSource]
) -> dict[int, list[ExportItem]]:
    files_of: dict[int, list[int]] = defaultdict(list)
    rows = Provenance.objects.filter(source_file__among=pks, retired_at=None).order_by()
    for kernel, file in rows.values_list("kernel_id", "source_file_id").distinct():
        files_of[kernel].append(file)
    inside: dict[int, list[ExportItem]] = defaultdict(list)
    batches = facts.kernels(Kernel.objects.filter(pk__among=list(files_of)), sources)
    # Sorted by content, so that the first kernel does not depend on the order of storage.
    for kernel_item in sorted(chain.from_iterable(batches), key=lambda item: item.content_hash):
        for file in files_of[kernel_item.pk]:
            inside[file].append(kernel_item)
    return inside


def _file_item(
    file: Mapping[str, Any], kernels: Sequence[ExportItem], text: str,
    sources: Mapping[int, ExportSource],
) -> ExportItem:  # fmt: skip
    # The first kernel represents its file. Its place in this file comes first, because the file is
    # distributed under the license terms that apply there.
    first, *others = sorted(kernels[0].places, key=lambda place: not _holds(file, place))
    first = first._replace(commit=file["commit"], lines=(1, file["lines"]), cell=None)
    return replace(
        kernels[0], name=PurePosixPath(file["path"]).name, content_hash=file["sha256"],
        license=first.expression, tokens=file["tokens"] or 0, texts=[text], lines=file["lines"],
        places=[first, *others],
        origin=sources[file["repository_id"]].origin, decisions=(), parts=kernels,
        hardware=sorted({kernel.row["hardware"] for kernel in kernels}),
    )  # fmt: skip


def _file_exclusion(
    file: Mapping[str, Any], kernels: Sequence[ExportItem], options: ExportOptions
) -> Exclusion | None:
    # This file itself is distributed, so a permissive license at another place does not suffice.
    for place in (place for kernel in kernels for place in kernel.places):
        if _holds(file, place) and place.live and not place.gives:
            return Exclusion(
                ExclusionReason.LICENSE, f"The license of its code is {place.verdict} here."
            )
    reasons = [(kernel, first_exclusion(kernel, options)) for kernel in kernels]
    for kernel, why in reasons:
        if why is not None and why.reason not in HARMLESS:
            return Exclusion(why.reason, f"It holds {kernel.name}. {why.message}")
    if all(why is not None for _, why in reasons):
        return Exclusion(
            ExclusionReason.DUPLICATE, "Other files contain near-duplicates of all its kernels."
        )
    return None


def _holds(file: Mapping[str, Any], place: KernelPlace) -> bool:
    return (place.source, place.path) == (file["repository_id"], file["path"])
