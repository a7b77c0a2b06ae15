"""Choice of pairs and places for mistakes, and their check by the harness.

The same pairs, kinds and seed give the same candidates in the same order. Kinds take turns, the one
with the fewest kept mistakes first. A kind of which several candidates in a row pass the harness
gets no more turns: its mistakes do not show on this device.
"""

import random
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from curation.identity import content_hash
from curation.models import REJECTED, Outcome, Pair, Verdict
from validation.equivalence import Harness, entry
from validation.findings import Finding
from validation.harness.entry import Entry
from validation.harness.options import EVERY_CHECK
from validation.repairs.kind import Kind
from validation.repairs.source import Fault, Source

# Signals of memory that the process itself has broken.
BY_ITSELF = re.compile(r"killed by SIG(ABRT|BUS|SEGV)")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
LONGEST = 500
# Pairs of a kind in a row that may have no place for the mistake.
SEARCHED = 1000
# The pair's own test runs without guards: a wrong address breaks its process, and the message is
# only a signal. The other checks name the place.
CHECKS = tuple(name for name in EVERY_CHECK if name != "test")
# Candidates of a kind in a row that may pass the harness.
PATIENCE = 6


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mistake that may be made in a pair."""

    pair: Pair
    kind: Kind
    fault: Fault

    @property
    def faulty_hash(self) -> str:
        return content_hash(self.fault.code)

    def entry(self, name: str) -> Entry:
        """Return the entry for the harness. It shares no process with others."""
        return replace(
            entry(self.pair),
            id=name,
            triton_code=self.fault.code,
            origin=f"{self.pair.origin}:{self.faulty_hash}",
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """A candidate with the harness's finding; None if the same text is stored already."""

    candidate: Candidate
    finding: Finding | None

    @property
    def is_kept(self) -> bool:
        return self.finding is None or _shows_fault(self.finding)

    @property
    def message(self) -> str:
        """Return the failed checks with the harness's words, a line each."""
        checks = self.finding.checks if self.finding else ()
        failed = [check for check in checks if check.outcome == Outcome.FAILED]
        return "\n".join(f"{check.name}: {_brief(check.message)}" for check in failed)


def _shows_fault(finding: Finding) -> bool:
    """Return whether the verdict shows a wrong kernel.

    A process that runs out of memory is killed by another signal.
    """
    is_crash = finding.verdict == Verdict.CRASHED
    return bool(BY_ITSELF.search(finding.message)) if is_crash else finding.verdict in REJECTED


def _brief(message: str) -> str:
    """Cut a message, and drop addresses, which differ from run to run."""
    text = ADDRESS.sub("", message)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def plant(
    pairs: Sequence[int],
    kinds: Iterable[Kind],
    count: int,
    seed: int,
    harness: Harness,
    known: Callable[[Sequence[str]], Container[str]],
) -> Iterator[Attempt]:
    """Yield attempts until `count` are kept, or no kind has candidates left.

    pairs: keys of passed pairs, in an order that does not depend on the database.
    known: the stored ones among the hashes of faulty texts.
    """
    turns = [_Turns(candidates(pairs, kind, seed)) for kind in kinds]
    kept = 0
    while kept < count:
        batch: list[tuple[_Turns, Candidate]] = []
        for its in sorted(turns, key=lambda its: its.kept):
            if len(batch) < count - kept and its.misses < PATIENCE:
                batch += [(its, candidate) for candidate in [next(its.stream, None)] if candidate]
        if not batch:
            return
        for its, attempt in _checked(batch, harness, known):
            its.kept += attempt.is_kept
            its.misses = 0 if attempt.is_kept else its.misses + 1
            kept += attempt.is_kept
            yield attempt


@dataclass(slots=True)
class _Turns:
    """The candidates of one kind. `misses`: how many passed the harness since the last kept one."""

    stream: Iterator[Candidate]
    kept: int = 0
    misses: int = 0


def candidates(pairs: Sequence[int], kind: Kind, seed: int) -> Iterator[Candidate]:
    """Yield one candidate of each pair that has a place for the mistake, in a random order.

    The search for a rare place ends after a while.
    """
    draw = random.Random(f"{seed}:{kind.name}")  # noqa: S311 - to be repeated, not to be secret
    without = 0
    for pk in draw.sample(pairs, len(pairs)):
        pair = Pair.objects.get(pk=pk)
        faults = list(kind.faults(Source(pair.triton_code)))
        without = 0 if faults else without + 1
        if faults:
            yield Candidate(pair, kind, draw.choice(faults))
        elif without == SEARCHED:
            return


def _checked(
    batch: Sequence[tuple[_Turns, Candidate]],
    harness: Harness,
    known: Callable[[Sequence[str]], Container[str]],
) -> Iterator[tuple[_Turns, Attempt]]:
    stored = known([candidate.faulty_hash for _, candidate in batch])
    waiting = {}
    for number, (its, candidate) in enumerate(batch):
        if candidate.faulty_hash in stored:
            yield its, Attempt(candidate, None)
        else:
            waiting[str(number)] = (its, candidate)
    entries = [candidate.entry(name) for name, (_, candidate) in waiting.items()]
    for name, finding in harness.check_entries(entries) if entries else ():
        its, candidate = waiting[name]
        yield its, Attempt(candidate, finding)
