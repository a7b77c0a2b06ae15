"""Writer of items in batches. It also counts the items of each kind."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import islice

from django.db import transaction

from curation.jobs.attempt import Attempt
from curation.models import Drop, IngestRun
from ingest.candidate import Candidate, Dropped, FileRead, Item
from ingest.evidence import Evidence
from ingest.persist.closing import close
from ingest.persist.files import Files
from ingest.persist.hardware import changed_hardware, store_hardware
from ingest.persist.kernels import Kernels, wanting
from ingest.persist.licenses import settle_kernels

BATCH = 250
COUNTED = ("files", "found", "standalone", "new", "dropped", "retired")


class Ledger:
    """Writer of the rows of one run.

    Each batch is a transaction that also renews the lease. So an attempt that has lost its lease
    writes no row.
    """

    def __init__(
        self,
        run: IngestRun,
        attempt: Attempt[IngestRun],
        evidence: Callable[[Candidate], Evidence | Dropped],
    ) -> None:
        self._run = run
        self._evidence = evidence
        self._attempt = attempt
        self._files = Files(run.repository, run.commit)
        self._kernels = Kernels(run.repository, self._files)
        self.funnel = Counter(dict.fromkeys(COUNTED, 0))

    def store_all(self, items: Iterable[Item]) -> None:
        # A killed attempt of this run may have left rows of drops. They are written again below.
        with transaction.atomic():
            self._attempt.renew(commit=self._run.commit)
            self._run.drops.all().delete()
        for batch in _batches(items):
            # Gather evidence before the transaction, so that no lock is held meanwhile.
            candidates = wanting([item for item in batch if isinstance(item, Candidate)])
            results = {name: self._evidence(item) for name, item in candidates.items()}
            evidence = {name: one for name, one in results.items() if isinstance(one, Evidence)}
            lost = {name: one for name, one in results.items() if isinstance(one, Dropped)}
            with transaction.atomic():
                self._attempt.renew()
                self._store([_or_lost(item, lost) for item in batch], evidence)

    def close(self) -> None:
        """Retire the rows that this run did not see. After that, store licenses and hardware."""
        with transaction.atomic():
            self._attempt.renew()
            self.funnel["retired"] += close(
                self._run.repository, self._files.gone(), self._kernels.seen
            )
            settle_kernels(self._run.repository)
        changed = changed_hardware(self._run.repository)
        with transaction.atomic():
            self._attempt.renew()
            store_hardware(changed)

    def _store(self, batch: list[Item], evidence: Mapping[str, Evidence]) -> None:
        files = [item for item in batch if isinstance(item, FileRead)]
        candidates = [item for item in batch if isinstance(item, Candidate)]
        drops = [item for item in batch if isinstance(item, Dropped)]
        self._files.store(files)
        new = self._kernels.store(candidates, evidence) if candidates else 0
        dependent = [_not_standalone(item) for item in candidates if not item.unit.standalone]
        Drop.objects.bulk_create(self._drop(item) for item in (*drops, *dependent))
        self.funnel.update(
            files=len(files),
            found=len(candidates),
            standalone=len(candidates) - len(dependent),
            new=new,
            dropped=len(drops),
        )

    def _drop(self, item: Dropped) -> Drop:
        bounded = {"path": item.path[:1000], "qualname": item.qualname[:500]}
        return Drop(run=self._run, **asdict(item) | bounded)


def _or_lost(item: Item, lost: Mapping[str, Dropped]) -> Item:
    return lost.get(item.content_hash, item) if isinstance(item, Candidate) else item


def _not_standalone(item: Candidate) -> Dropped:
    """Return a drop for a kernel that is stored but can't be exported."""
    kernel = item.kernel
    return Dropped(
        stage="isolate",
        path=kernel.path,
        reason="not-standalone",
        message=" ".join(item.unit.reasons),
        qualname=kernel.qualname,
        line=kernel.start_line,
    )


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, BATCH)):
        yield batch
