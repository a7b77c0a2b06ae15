"""Which items leave, and why each of the others stays: the first reading of an export."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from curation.evidence.sources import Source
from curation.export import evidence
from curation.export.evidence import Known
from curation.export.files import files
from curation.export.gates import Rules, approved_by, deciding, exclusion
from curation.export.ledger import Ledger, record_id
from curation.export.options import Options
from curation.export.picks import Picks
from curation.export.progress import Progress
from curation.filters import Filter
from curation.models import Actor, Kernel, Pair, PairOrigin, Status

ORIGINS = tuple(PairOrigin.values)


@dataclass(slots=True)
class Selection:
    kernels: Picks = field(default_factory=Picks)
    pairs: Picks = field(default_factory=Picks)
    agreement: Counter[str] = field(default_factory=Counter)

    def of(self, kind: str) -> Picks:
        return self.kernels if kind == "kernel" else self.pairs


def select(
    options: Options, sources: dict[int, Source], ledger: Ledger, progress: Progress
) -> Selection:
    """Weigh every kernel and pair that the filter names."""
    selection = Selection()
    rules = Rules(options.unit == "standalone", options.include_pending, options.policies)
    where = Filter.from_text(options.where)
    if options.unit == "file":
        _select_files(selection, where, rules, sources, ledger, progress)
    else:
        known_kernels = evidence.kernels(where.of(Kernel.objects.all()), sources)
        for known in _passing("kernel", known_kernels, rules, ledger, progress):
            place = known.places[0] if known.places else None
            origin = sources[place.source].origin if place else PairOrigin.REAL_WORLD
            _add(selection, "kernel", known, origin)
    known_pairs = evidence.pairs(where.of(Pair.objects.all()), sources)
    for pair in _passing("pair", known_pairs, rules, ledger, progress):
        _add(selection, "pair", pair, pair.row["origin"])
    selection.kernels.complete()
    selection.pairs.complete()
    return selection


def _select_files(
    selection: Selection,
    where: Filter,
    rules: Rules,
    sources: dict[int, Source],
    ledger: Ledger,
    progress: Progress,
) -> None:
    for number, file in enumerate(files(where, rules, sources)):
        progress("files weighed", number)
        ledger.seen["kernel"] += 1
        if file.why is not None:
            identity = record_id("kernel", file.name, file.sha256)
            ledger.left_out("kernel", identity, file.name, file.places, file.why)
            continue
        selection.kernels.add(
            # It stands for the file wherever a kernel is asked for.
            pk=file.kernels[0].row["pk"],
            content_hash=file.sha256,
            tokens=file.tokens,
            source=file.source,
            origin=ORIGINS.index(sources[file.source].origin),
            reviewed=all(map(_reviewed, file.kernels)),
            file=file.pk,
        )


def _reviewed(known: Known) -> bool:
    facts = known.facts
    approver = approved_by(facts) if facts.status == Status.APPROVED else None
    return approver is not None and approver.actor == Actor.PERSON


def _passing(
    kind: str,
    items: Iterator[Known],
    rules: Rules,
    ledger: Ledger,
    progress: Progress,
) -> Iterator[Known]:
    for number, known in enumerate(items):
        if not number % evidence.BATCH:
            progress(f"{kind}s weighed", number)
        ledger.seen[kind] += 1
        why = exclusion(known.facts, rules)
        if why is None:
            yield known
        else:
            name = title(kind, known)
            ledger.left_out(
                kind, record_id(kind, name, known.facts.content_hash), name, known.places, why
            )


def title(kind: str, known: Known) -> str:
    name: str = known.row["name" if kind == "kernel" else "slug"]
    return name


def _add(selection: Selection, kind: str, known: Known, origin: str) -> None:
    facts = known.facts
    tried = deciding(facts.tries) if facts.tries else None
    selection.of(kind).add(
        pk=known.row["pk"],
        content_hash=facts.content_hash,
        tokens=known.row["tokens"],
        source=known.places[0].source if known.places else 0,
        origin=ORIGINS.index(origin),
        reviewed=_reviewed(known),
        result=tried.pk if tried else 0,
    )
    words = {
        said.user: said.status
        for said in sorted(facts.decisions, key=lambda said: said.pk)
        if said.actor == Actor.PERSON
    }
    if len(words) > 1:
        selection.agreement["agreed" if len(set(words.values())) == 1 else "disputed"] += 1
