"""Selection of the items of an export, in one pass over the rows.

Selected items are serialized at once, while their rows are in memory; the drafts are spooled until
their splits are known.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from curation.evidence.places import LicenseTerms
from curation.evidence.sources import every_source
from curation.export import evidence
from curation.export.evidence import EVERYTHING, KnownItem, Stretch, stretches
from curation.export.export_item import ExportItem
from curation.export.files import KnownFile, files
from curation.export.gates import APPROVED, PERSON, DecisionRow, Rules, deciding, exclusion
from curation.export.ledger import ExportLedger, LedgerCounts
from curation.export.mixing import weigher
from curation.export.notices import Notices, SharedNotice
from curation.export.options import ExportOptions
from curation.export.records import PAIR_TEXTS, text_columns
from curation.export.recount import recount
from curation.export.selected_items import SelectedItems
from curation.export.serialize import Drafted, RecordSerializer
from curation.export.spool import Spool, SpoolIndex
from curation.export.statistics import RecordProfile
from curation.filters import Filter
from curation.models import Kernel, Pair


@dataclass(slots=True)
class ExportSelection:
    kernels: SelectedItems = field(default_factory=SelectedItems)
    pairs: SelectedItems = field(default_factory=SelectedItems)
    # Profiles, each with its number.
    profiles: dict[RecordProfile, int] = field(default_factory=dict)
    agreement: Counter[str] = field(default_factory=Counter)

    def of(self, kind: str) -> SelectedItems:
        return self.kernels if kind == "kernel" else self.pairs


@dataclass(frozen=True, slots=True)
class SelectionResult:
    """Results of one process, for another to absorb."""

    selection: ExportSelection
    given: Mapping[tuple[str, str, LicenseTerms], SharedNotice]
    counted: LedgerCounts
    index: SpoolIndex


class ItemSelector:
    """Selector of the kernels and pairs that the filter matches.

    Without a spool, no drafts are made.
    """

    def __init__(self, options: ExportOptions, spool: Spool | None) -> None:
        self.sources = every_source()
        self.notices = Notices(self.sources)
        self.ledger = ExportLedger(spool, self.sources)
        self.selection = ExportSelection()
        self._options = options
        self._spool = spool
        self._where = Filter.from_text(options.where)
        self._rules = Rules(
            standalone=options.unit == "standalone",
            hardware=options.hardware,
            include_pending=options.include_pending,
            include_disputed=options.include_disputed,
            policies=options.policies,
            without_benchmarks=options.without_benchmarks,
        )
        self._weight = weigher(options.upsample, self.sources)
        self._serializer = RecordSerializer(
            options, self.sources, self.notices, self.selection.profiles
        )

    def stretches(self) -> Iterator[tuple[str, Stretch]]:
        """Yield all ranges of rows, for any number of processes."""
        # Files are read by content, which several places share.
        whole_files = self._options.unit == "file"
        of_kernels = (EVERYTHING,) if whole_files else stretches(Kernel.objects.all())
        yield from (("kernel", stretch) for stretch in of_kernels)
        yield from (("pair", stretch) for stretch in stretches(Pair.objects.all()))

    def weigh(self, kind: str, within: Stretch) -> int:
        """Examine and serialize the items of a range, and return their number."""
        before = self.ledger.counted.seen[kind]
        serializer, selected = self._serializer, self.selection.of(kind)
        if kind == "pair":
            for pairs in self._pairs(within):
                recount(kind, pairs, self._options)
                self._select(selected, pairs, serializer.pairs(pairs))
        else:
            whole_files = self._options.unit == "file"
            for kernels in self._files() if whole_files else self._kernels(within):
                recount(kind, kernels, self._options)
                self._select(selected, kernels, serializer.kernels(kernels))
        return self.ledger.counted.seen[kind] - before

    def found(self) -> SelectionResult:
        index = self._spool.index() if self._spool else SpoolIndex()
        return SelectionResult(self.selection, self.notices.given, self.ledger.counted, index)

    def absorb(self, result: SelectionResult) -> None:
        """Add the results of another process.

        Their order does not matter: all is sorted at the end.
        """
        first = self._spool.adopt(result.index) if self._spool else 0
        known, other = self.selection.profiles, result.selection
        # Without drafts there are no profiles.
        numbers = [known.setdefault(profile, len(known)) for profile in other.profiles] or [0]
        for kind in ("kernel", "pair"):
            self.selection.of(kind).absorb(other.of(kind), np.asarray(numbers, np.int64), first)
        self.selection.agreement += other.agreement
        self.notices.absorb(result.given)
        self.ledger.absorb(result.counted, first)

    def _select(
        self, selected: SelectedItems, batch: Sequence[ExportItem], drafted: Iterator[Drafted]
    ) -> None:
        if self._spool:
            made = list(drafted)
            drafts = self._spool.put([draft for draft, _ in made])
            selected.add(batch, drafts, [counted for _, counted in made])
        else:
            selected.add(batch, [0] * len(batch), [(0, 0, 0)] * len(batch))

    def _kernels(self, within: Stretch) -> Iterator[list[ExportItem]]:
        kernels = self._where.of(Kernel.objects.all())
        texts = text_columns(self._options)
        for batch in evidence.kernels(kernels, self.sources, texts, within):
            yield [self._leaving(known) for known in self._passing("kernel", batch)]

    def _pairs(self, within: Stretch) -> Iterator[list[ExportItem]]:
        pairs = self._where.of(Pair.objects.all())
        for batch in evidence.pairs(pairs, self.sources, PAIR_TEXTS, within):
            yield [self._leaving(known) for known in self._passing("pair", batch)]

    def _passing(self, kind: str, batch: Sequence[KnownItem]) -> Iterator[KnownItem]:
        self.ledger.counted.seen[kind] += len(batch)
        for known in batch:
            why = exclusion(known.facts, self._rules)
            if why is None:
                yield known
            else:
                hashed = known.facts.content_hash
                self.ledger.left_out(kind, known.name, hashed, known.places, why)

    def _leaving(self, known: KnownItem) -> ExportItem:
        facts = known.facts
        if len(facts.decisions) > 1:
            self._compare_words(facts.decisions)
        source = known.places[0].source if known.places else 0
        return ExportItem(
            known.pk, known.name, facts.content_hash, facts.license, known.tokens, known.places,
            known.extra_columns, known.texts, source, known.origin, _reviewed(known),
            self._weight(source, known.origin),
            deciding(facts.validations) if facts.validations else None,
        )  # fmt: skip

    def _compare_words(self, decisions: Sequence[DecisionRow]) -> None:
        """Count if people who decided on one item agreed in the end."""
        words = {said.user: said.status for said in sorted(decisions) if said.actor == PERSON}
        if len(words) > 1:
            agreed = len(set(words.values())) == 1
            self.selection.agreement["agreed" if agreed else "disputed"] += 1

    def _files(self) -> Iterator[list[ExportItem]]:
        for batch in files(self._where, self._rules, self.sources):
            self.ledger.counted.seen["kernel"] += len(batch)
            leaving = []
            for file in batch:
                if file.why is None:
                    leaving.append(self._leaving_file(file))
                else:
                    self.ledger.left_out("kernel", file.name, file.sha256, file.places, file.why)
            yield leaving

    def _leaving_file(self, file: KnownFile) -> ExportItem:
        # The kernel represents its file. A whole file is distributed on the terms that apply in it,
        # not on another copy's.
        known = file.kernels[0]
        first, *others = sorted(known.places, key=lambda place: not file.holds(place))
        origin = self.sources[file.source].origin
        return ExportItem(
            pk=known.pk,
            name=file.name,
            content_hash=file.sha256,
            license=first.expression,
            tokens=file.tokens,
            extra_columns=known.extra_columns,
            texts=(),
            places=[first._replace(commit=file.commit, lines=(1, file.lines), cell=None), *others],
            source=file.source,
            origin=origin,
            reviewed=all(map(_reviewed, file.kernels)),
            weight=self._weight(file.source, origin),
            file=file,
        )


def _reviewed(known: KnownItem) -> bool:
    approver = known.facts.approver
    return known.facts.status == APPROVED and approver is not None and approver.actor == PERSON
