"""Which items leave, and why each of the others stays: the one reading of an export.

What leaves is drafted at once, while its rows are at hand; the drafts wait aside for their splits.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from curation.evidence.sources import Source
from curation.export import evidence
from curation.export.aside import Aside
from curation.export.drafts import Drafted, Drafting
from curation.export.evidence import Known
from curation.export.files import KnownFile, files
from curation.export.gates import APPROVED, PERSON, Rules, Said, deciding, exclusion
from curation.export.leaving import Leaving
from curation.export.ledger import Ledger
from curation.export.mixing import weigher
from curation.export.notices import Notices
from curation.export.options import Options
from curation.export.picks import Picks
from curation.export.progress import Progress
from curation.export.records import PAIR_TEXTS, text_columns
from curation.export.recount import recount
from curation.export.statistics import Profile
from curation.filters import Filter
from curation.models import Kernel, Pair


@dataclass(slots=True)
class Selection:
    kernels: Picks = field(default_factory=Picks)
    pairs: Picks = field(default_factory=Picks)
    # Each with its number.
    profiles: dict[Profile, int] = field(default_factory=dict)
    agreement: Counter[str] = field(default_factory=Counter)


class Selecting:
    """Weighs every kernel and pair that the filter names. With nothing `aside`, none is drafted."""

    def __init__(
        self,
        options: Options,
        sources: dict[int, Source],
        notices: Notices,
        ledger: Ledger,
        aside: Aside | None,
        progress: Progress,
    ) -> None:
        self._options = options
        self._sources = sources
        self._notices = notices
        self._ledger = ledger
        self._aside = aside
        self._progress = progress
        self._where = Filter.from_text(options.where)
        self._rules = Rules(options.unit == "standalone", options.include_pending, options.policies)
        self._weight = weigher(options.upsample, sources)
        self._selection = Selection()
        self._drafting = Drafting(options, sources, notices, self._selection.profiles)

    def selection(self) -> Selection:
        chosen = self._selection
        for kernels in self._files() if self._options.unit == "file" else self._kernels():
            recount(kernels, self._options)
            self._pick(chosen.kernels, kernels, self._drafting.kernels(kernels))
        self._complete(chosen.kernels)
        for pairs in self._pairs():
            self._pick(chosen.pairs, pairs, self._drafting.pairs(pairs))
        self._complete(chosen.pairs)
        return chosen

    def _pick(
        self, picks: Picks, batch: Sequence[Leaving], drafted: Iterator[Drafted]
    ) -> None:
        aside = self._aside
        if aside:
            picks.add(batch, [(aside.put(draft), *counted) for draft, *counted in drafted])
        else:
            picks.add(batch, [(0, 0, 0, 0)] * len(batch))

    def _complete(self, picks: Picks) -> None:
        picks.complete()
        self._ledger.write()

    def _kernels(self) -> Iterator[list[Leaving]]:
        kernels = self._where.of(Kernel.objects.all())
        for batch in evidence.kernels(kernels, self._sources, text_columns(self._options)):
            yield [self._leaving(known) for known in self._passing("kernel", batch)]

    def _pairs(self) -> Iterator[list[Leaving]]:
        pairs = self._where.of(Pair.objects.all())
        for batch in evidence.pairs(pairs, self._sources, PAIR_TEXTS):
            yield [self._leaving(known) for known in self._passing("pair", batch)]

    def _passing(self, kind: str, batch: Sequence[Known]) -> Iterator[Known]:
        self._progress(f"{kind}s weighed", self._ledger.seen[kind])
        self._ledger.seen[kind] += len(batch)
        for known in batch:
            why = exclusion(known.facts, self._rules)
            if why is None:
                yield known
            else:
                hashed = known.facts.content_hash
                self._ledger.left_out(kind, known.name, hashed, known.places, why)

    def _leaving(self, known: Known) -> Leaving:
        facts = known.facts
        if len(facts.decisions) > 1:
            self._compare_words(facts.decisions)
        source = known.places[0].source if known.places else 0
        return Leaving(
            known.pk, known.name, facts.content_hash, facts.license, known.tokens, known.places,
            known.told, known.texts, source, known.origin, _reviewed(known),
            self._weight(source, known.origin), deciding(facts.tries) if facts.tries else None,
        )  # fmt: skip

    def _compare_words(self, decisions: Sequence[Said]) -> None:
        """Whether people who decided on one item agreed in the end."""
        words = {said.user: said.status for said in sorted(decisions) if said.actor == PERSON}
        if len(words) > 1:
            agreed = len(set(words.values())) == 1
            self._selection.agreement["agreed" if agreed else "disputed"] += 1

    def _files(self) -> Iterator[list[Leaving]]:
        for batch in files(self._where, self._rules, self._sources):
            self._progress("files weighed", self._ledger.seen["kernel"])
            self._ledger.seen["kernel"] += len(batch)
            leaving = []
            for file in batch:
                if file.why is None:
                    leaving.append(self._leaving_file(file))
                else:
                    self._ledger.left_out("kernel", file.name, file.sha256, file.places, file.why)
            yield leaving

    def _leaving_file(self, file: KnownFile) -> Leaving:
        # It stands for the file wherever a kernel is asked for; and a whole file leaves on the
        # terms that hold in it, not on another copy's.
        known = file.kernels[0]
        first, *others = sorted(known.places, key=lambda place: not file.holds(place))
        origin = self._sources[file.source].origin
        return Leaving(
            pk=known.pk,
            name=file.name,
            content_hash=file.sha256,
            license=first.expression,
            tokens=file.tokens,
            told=known.told,
            texts=(),
            places=[first._replace(commit=file.commit, lines=(1, file.lines)), *others],
            source=file.source,
            origin=origin,
            reviewed=all(map(_reviewed, file.kernels)),
            weight=self._weight(file.source, origin),
            file=file,
        )


def _reviewed(known: Known) -> bool:
    approver = known.facts.approver
    return known.facts.status == APPROVED and approver is not None and approver.actor == PERSON
