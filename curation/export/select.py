"""Selection of the items of an export: one pass over the rows, through the gates.

A selected item becomes a record at once. All records are in memory until the files are written:
some 20 kB each, so 50,000 take 1 GB.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import PurePosixPath
from typing import Any

from curation.evidence.grades import deciding
from curation.evidence.notices import texts_named
from curation.evidence.places import KernelPlace
from curation.evidence.sources import ExportSource, every_source
from curation.export import facts
from curation.export.facts import PAIR_TEXTS, ExportItem, KnownItem, joined, text_columns
from curation.export.gates import (
    APPROVED,
    PERSON,
    DecisionRow,
    Exclusion,
    ExclusionReason,
    Rules,
    exclusion,
)
from curation.export.notices import Notices
from curation.export.options import ExportOptions, ProgressCallback, weigher
from curation.export.records import RecordBuilder
from curation.export.statistics import ExportPlan, Funnel
from curation.models import Kernel, Pair, Provenance, SourceFile
from curation.search.filters import Filter
from curation.tokens import tokenizer_of

FILES = 200


def select(options: ExportOptions, progress: ProgressCallback) -> ExportPlan:
    """Examine every kernel and pair, and return the selected ones as records without splits."""
    sources = every_source()
    plan = ExportPlan(sources, Notices(sources), Funnel())
    selector = _Selector(options, plan)
    builder = RecordBuilder(options, sources, plan.notices)
    items = {"kernel": selector.files() if options.unit == "file" else selector.kernels()}
    items["pair"] = selector.pairs()
    for kind, batches in items.items():
        for batch in batches:
            progress(f"{kind}s weighed", plan.funnel.seen[kind])
            _count_tokens(kind, batch, options)
            plan.records[kind] += builder.records(kind, batch)
        plan.records[kind].sort(key=lambda record: record.content_hash)
    return plan


def _count_tokens(kind: str, items: Sequence[ExportItem], options: ExportOptions) -> None:
    """Count tokens that the rows lack: of other units, or by another tokenizer."""
    stored = options.unit == "file" or (options.unit == "standalone" and not options.with_launcher)
    if not options.tokenizer and (stored or kind == "pair"):
        return
    texts = ["\n".join(item.texts) for item in items]
    for item, tokens in zip(items, tokenizer_of(options.tokenizer).count(texts), strict=True):
        item.tokens = tokens


class _Selector:
    """Reader of the items that the filter matches and the gates admit, in batches."""

    def __init__(self, options: ExportOptions, plan: ExportPlan) -> None:
        self._options = options
        self._plan = plan
        self._sources = plan.sources
        self._where = Filter.from_text(options.where)
        self._rules = Rules(
            standalone=options.unit == "standalone",
            hardware=options.hardware,
            include_pending=options.include_pending,
            include_disputed=options.include_disputed,
            policies=options.policies,
            without_benchmarks=options.without_benchmarks,
        )
        self._weight = weigher(options.upsample, plan.sources)

    def kernels(self) -> Iterator[list[ExportItem]]:
        items = self._where.of(Kernel.objects.all())
        for batch in facts.kernels(items, self._sources, text_columns(self._options)):
            yield [
                self._item(known, [joined(known.texts)]) for known in self._pass("kernel", batch)
            ]

    def pairs(self) -> Iterator[list[ExportItem]]:
        items = self._where.of(Pair.objects.all())
        for batch in facts.pairs(items, self._sources, PAIR_TEXTS):
            yield [self._item(known, known.texts) for known in self._pass("pair", batch)]

    def _pass(self, kind: str, batch: Sequence[KnownItem]) -> Iterator[KnownItem]:
        self._plan.funnel.seen[kind] += len(batch)
        for known in batch:
            why = exclusion(known.facts, self._rules)
            if why is None:
                yield known
            else:
                content_hash = known.facts.content_hash
                self._plan.leave_out(kind, known.name, content_hash, why, known.places)

    def _item(self, known: KnownItem, texts: Sequence[str]) -> ExportItem:
        row, known_facts = known.row, known.facts
        if len(known_facts.decisions) > 1:
            self._compare_words(known_facts.decisions)
        source = known.places[0].source if known.places else 0
        return ExportItem(
            pk=known.pk,
            name=known.name,
            content_hash=known_facts.content_hash,
            license=known_facts.license,
            tokens=known.tokens,
            places=known.places,
            row=row,
            texts=texts,
            lines=row.get("lines", 0),
            hardware=[row["hardware"]],
            min_triton="" if self._options.with_launcher and "lines" in row else row["min_triton"],
            source=source,
            origin=known.origin,
            approved_by=self._approver([known]),
            weight=self._weight(source, known.origin),
            validation=deciding(known_facts.validations) if known_facts.validations else None,
        )

    def _approver(self, items: Sequence[KnownItem]) -> str:
        """Return the kind of actor that approved all items, and note the persons."""
        kinds = set()
        for known in items:
            approver = known.facts.approver if known.facts.status == APPROVED else None
            kinds.add(approver.actor if approver else "")
            if approver is not None and approver.actor == PERSON:
                self._plan.people.add(approver.user)
        # A file counts as a person's only if a person approved all its kernels.
        return kinds.pop() if len(kinds) == 1 else min(kinds - {PERSON})

    def _compare_words(self, decisions: Sequence[DecisionRow]) -> None:
        """Count if people who decided on one item agreed in the end."""
        words = {said.user: said.status for said in sorted(decisions) if said.actor == PERSON}
        if len(words) > 1:
            agreed = len(set(words.values())) == 1
            self._plan.agreement["agreed" if agreed else "disputed"] += 1

    def files(self) -> Iterator[list[ExportItem]]:
        """Whole files as the unit: a file is exported if no kernel in it is excluded."""
        for batch in _known_files(self._where, self._rules, self._sources):
            self._plan.funnel.seen["kernel"] += len(batch)
            admitted = [file for file in batch if file.why is None]
            texts = texts_named([file.sha256 for file in admitted])
            for file in batch:
                if file.why is not None:
                    self._plan.leave_out("kernel", file.name, file.sha256, file.why, file.places)
            yield [self._file_item(file, texts[file.sha256]) for file in admitted]

    def _file_item(self, file: "_KnownFile", text: str) -> ExportItem:
        # The kernel represents its file. A whole file is distributed on the terms that apply in it,
        # not on another copy's.
        known = file.kernels[0]
        first, *others = sorted(known.places, key=lambda place: not file.holds(place))
        origin = self._sources[file.source].origin
        return ExportItem(
            pk=known.pk,
            name=file.name,
            content_hash=file.sha256,
            license=first.expression,
            tokens=file.tokens,
            places=[first._replace(commit=file.commit, lines=(1, file.lines), cell=None), *others],
            row=known.row,
            texts=[text],
            lines=file.lines,
            hardware=sorted({known.facts.hardware for known in file.kernels}),
            min_triton="",
            source=file.source,
            origin=origin,
            approved_by=self._approver(file.kernels),
            weight=self._weight(file.source, origin),
        )


# Reasons that do not exclude a file, such as a near-duplicate exported elsewhere.
HARMLESS = frozenset({ExclusionReason.DUPLICATE, ExclusionReason.NOT_STANDALONE})


@dataclass(frozen=True, slots=True)
class _KnownFile:
    sha256: str
    path: str
    commit: str
    lines: int
    tokens: int
    source: int
    kernels: Sequence[KnownItem]
    why: Exclusion | None

    @property
    def name(self) -> str:
        return PurePosixPath(self.path).name

    @property
    def places(self) -> list[KernelPlace]:
        """Return the places of its kernels in it."""
        return [place for known in self.kernels for place in known.places if self.holds(place)]

    def holds(self, place: KernelPlace) -> bool:
        return (place.source, place.path) == (self.source, self.path)


def _known_files(
    where: Filter, rules: Rules, sources: Mapping[int, ExportSource]
) -> Iterator[list[_KnownFile]]:
    """Yield every file that contains kernels now, once for each content."""
    wanted = where.of(Kernel.objects.all())
    rows = SourceFile.objects.filter(
        retired_at=None, provenances__retired_at=None, provenances__kernel__in=wanted
    ).distinct()
    columns = ("sha256", "pk", "path", "commit", "lines", "tokens", "repository_id")
    last = ""
    ordered = rows.order_by("sha256", "repository__name", "path").values_list(*columns)
    while batch := list(ordered.filter(sha256__gt=last)[:FILES]):
        # The last content may continue in the next batch, so all its rows are added.
        last = batch[-1][0]
        batch += [row for row in ordered.filter(sha256=last) if row not in batch]
        first: dict[str, Any] = {}
        for row in batch:
            first.setdefault(row[0], row)
        inside = _kernels_of([row[1] for row in first.values()], sources)
        batch_files = []
        for sha256, pk, path, commit, lines, tokens, source in first.values():
            file = _KnownFile(sha256, path, commit, lines, tokens or 0, source, inside[pk], None)
            batch_files.append(replace(file, why=_why(file, rules)))
        yield batch_files


def _kernels_of(
    pks: Sequence[int], sources: Mapping[int, ExportSource]
) -> dict[int, list[KnownItem]]:
    standing: dict[int, list[int]] = defaultdict(list)
    rows = Provenance.objects.filter(source_file__among=pks, retired_at=None).order_by()
    for kernel, file in rows.values_list("kernel_id", "source_file_id").distinct():
        standing[kernel].append(file)
    inside: dict[int, list[KnownItem]] = defaultdict(list)
    batches = facts.kernels(Kernel.objects.filter(pk__among=list(standing)), sources)
    # Sorted, so that the same kernel represents a file, whichever was stored first.
    every = sorted(chain.from_iterable(batches), key=lambda known: known.facts.content_hash)
    for known in every:
        for file in standing[known.pk]:
            inside[file].append(known)
    return inside


def _why(file: _KnownFile, rules: Rules) -> Exclusion | None:
    # License and opt-outs of other places do not count, because this file is distributed.
    for place in file.places:
        if place.live and not place.gives:
            return Exclusion(
                ExclusionReason.LICENSE, f"The license of its code is {place.verdict} here."
            )
    reasons = [(known, exclusion(known.facts, rules)) for known in file.kernels]
    for known, why in reasons:
        if why is not None and why.reason not in HARMLESS:
            return Exclusion(why.reason, f"It holds {known.name}. {why.message}")
    if all(why is not None for _, why in reasons):
        return Exclusion(
            ExclusionReason.DUPLICATE, "Other files contain near-duplicates of all its kernels."
        )
    return None
