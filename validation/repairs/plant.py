"""Choice of pairs and of positions in them for mistakes.

Pairs are visited repeatedly, in a random order. At each visit, a pair gets a few mistakes of kinds
that were not tried in it. A mistake that the harness rejects is stored as a trace. The kinds with
the fewest traces come first, so a rare kind gets every possible position. A kind stops at twice an
equal share. It also stops if many of its mistakes in a row do not show on this device.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from curation.identity import content_hash
from curation.models import REJECTED, Outcome, Pair, Verdict
from curation.similarity.shingles import jaccard
from curation.similarity.structure import Structure, as_shingles, structure
from validation import equivalence
from validation.findings import ItemFinding
from validation.harness.entry import Entry
from validation.repairs.kinds import MistakeKind
from validation.repairs.source import FaultyText, ParsedText

# Signals of a process that corrupted its own memory.
BY_ITSELF = re.compile(r"killed by SIG(ABRT|BUS|SEGV)")
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# The interpreter wraps an exception, up to twice, and puts its repr into the message.
RAISED = re.compile(
    r"raised InterpreterError: (?:InterpreterError\([\"'])?(\w+)\(([\"'])(.*?)\2\)(?:[\"']\))?"
)
LONGEST = 500
# Minimum structural similarity at which two pairs count as near-duplicates.
NEAR = 0.8
# A variable: neither an attribute, nor called, nor the name of a keyword argument.
VARIABLE = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?!\w|\s*[(.]|=[^=])")
NUMBER = re.compile(r"(?<![\w.])\d[\w.]*")
# Number of mistakes in a batch for the harness.
AT_ONCE = 16
# Maximum number of mistakes of one pair in a batch. They share the reference's answers.
EACH_VISIT = 4
# Number of consecutive mistakes that may pass before a kind stops.
PATIENCE = 10


@dataclass(frozen=True, slots=True)
class PossibleFault:
    """A candidate: a mistake planted in a pair, not yet checked."""

    pair: Pair
    kind: MistakeKind
    fault: FaultyText

    @property
    def faulty_hash(self) -> str:
        return content_hash(self.fault.code)

    @property
    def entry(self) -> Entry:
        """Return the entry for the harness."""
        return replace(
            equivalence.entry(self.pair),
            id=self.faulty_hash,
            triton_code=self.fault.code,
        )


@dataclass(frozen=True, slots=True)
class JudgedFault:
    """A checked candidate. `finding`: None if the check does not prove the kernel wrong."""

    candidate: PossibleFault
    finding: ItemFinding | None

    @property
    def is_kept(self) -> bool:
        return self.finding is not None and _shows_fault(self.finding)

    @property
    def message(self) -> str:
        """Return the failed checks with the harness's messages, one on each line."""
        checks = self.finding.checks if self.finding else ()
        failed = {
            check.name: _brief(check.message) for check in checks if check.outcome == Outcome.FAILED
        }
        # An access out of bounds fails the accuracy check with the same message: show it once.
        place = failed.get("bounds", "").partition(": ")[2]
        if place and place in failed.get("accuracy", ""):
            del failed["accuracy"]
        return "\n".join(f"{name}: {words}" for name, words in failed.items())


def _shows_fault(finding: ItemFinding) -> bool:
    """Return whether the verdict shows that the kernel is wrong.

    A crash shows that only if its signal is in BY_ITSELF. SIGKILL may mean that memory ran out.
    """
    is_crash = finding.verdict == Verdict.CRASHED
    return bool(BY_ITSELF.search(finding.message)) if is_crash else finding.verdict in REJECTED


def _brief(message: str) -> str:
    """Shorten a message, and drop addresses, which differ between runs."""
    text = RAISED.sub(r"raised \1: \3", ADDRESS.sub("", message)).replace("\\'", "'")
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


StoredTrace = tuple[int, str, FaultyText]
"""A trace of an earlier run: the key of its pair, the kind of its mistake, and the mistake."""

Check = Callable[[Sequence[PossibleFault]], Iterable[tuple[PossibleFault, ItemFinding | None]]]


def plant(
    pairs: Sequence[int],
    kinds: Sequence[MistakeKind],
    count: int,
    seed: int,
    check: Check,
    stored: Iterable[StoredTrace],
) -> Iterator[JudgedFault]:
    """Yield checked candidates until there are `count` traces or no position is left.

    pairs: keys of passed pairs, in an order that does not depend on the database.
    """
    choice = Choice(pairs, kinds, count, seed)
    for trace in stored:
        choice.include(*trace)
    while batch := choice.batch():
        for candidate, finding in check(batch):
            attempt = JudgedFault(candidate, finding)
            choice.record(attempt)
            yield attempt


class Choice:
    """Choice of the next mistakes to plant, given the traces so far."""

    def __init__(
        self, pairs: Sequence[int], kinds: Sequence[MistakeKind], count: int, seed: int
    ) -> None:
        self._kinds, self._count, self._seed = kinds, count, seed
        self._order = Random(seed).sample(pairs, len(pairs))  # noqa: S311 - to be repeated
        self._visits = 0
        self._limit = max(1, 2 * count // max(1, len(kinds)))
        self._kept: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()
        self._misses: Counter[str] = Counter()
        self._tried: set[tuple[int, str]] = set()
        self._texts: set[str] = set()
        self._planted: dict[tuple[str, str], list[Structure]] = defaultdict(list)
        """Structures of the pairs with a mistake, by its kind and normalized difference."""

    def include(self, pair: int, kind: str, fault: FaultyText) -> None:
        """Count a trace that an earlier run stored, and never plant its mistake again."""
        self._kept[kind] += kind in {one.name for one in self._kinds}
        self._tried.add((pair, kind))
        self._plan(kind, fault, structure(fault.right))

    def batch(self) -> list[PossibleFault]:
        """Return the next candidates, or an empty list if enough are stored or all are tried."""
        batch: list[PossibleFault] = []
        wanted = min(AT_ONCE, self._count - self._kept.total())
        for _ in range(len(self._order)):
            if len(batch) >= wanted:
                break
            key = self._order[self._visits % len(self._order)]
            self._visits += 1
            batch += self._visit(key, min(EACH_VISIT, wanted - len(batch)))
        return batch

    def record(self, attempt: JudgedFault) -> None:
        name = attempt.candidate.kind.name
        self._under_way[name] -= 1
        self._kept[name] += attempt.is_kept
        self._misses[name] = 0 if attempt.is_kept else self._misses[name] + 1

    def _visit(self, key: int, most: int) -> list[PossibleFault]:
        """Return up to `most` candidates in one pair, each of another kind."""
        kinds = [kind for kind in self._kinds if self._is_open(kind.name, key)]
        if not kinds:
            return []
        pair = Pair.objects.get(pk=key)
        source, shape = ParsedText(pair.triton_code), structure(pair.triton_code)
        draw = Random(f"{self._seed}:{pair.content_hash}")  # noqa: S311 - to be repeated
        draw.shuffle(kinds)
        drawn: list[PossibleFault] = []
        for kind in sorted(kinds, key=lambda kind: self._planned(kind.name)):
            if len(drawn) == most:
                break
            self._tried.add((key, kind.name))
            fault = self._draw(kind, source, shape, draw)
            if fault is not None:
                self._plan(kind.name, fault, shape)
                self._under_way[kind.name] += 1
                drawn.append(PossibleFault(pair, kind, fault))
        return drawn

    def _planned(self, name: str) -> int:
        return self._kept[name] + self._under_way[name]

    def _is_open(self, name: str, key: int) -> bool:
        return (
            (key, name) not in self._tried
            and self._planned(name) < self._limit
            and self._misses[name] < PATIENCE
        )

    def _draw(
        self, kind: MistakeKind, source: ParsedText, shape: Structure, draw: Random
    ) -> FaultyText | None:
        """Return a mistake at a random position that repeats no earlier mistake, or None."""
        wide = as_shingles(shape)
        for fault in kind.faults(source, draw):
            # Don't repeat a mistake that was planted in this pair or a near-duplicate of it.
            others = self._planted.get((kind.name, difference(fault)), ())
            is_near = any(jaccard(wide, as_shingles(other)) >= NEAR for other in others)
            if content_hash(fault.code) not in self._texts and not is_near:
                return fault
        return None

    def _plan(self, kind: str, fault: FaultyText, shape: Structure) -> None:
        self._texts.add(content_hash(fault.code))
        self._planted[kind, difference(fault)].append(shape)


def difference(fault: FaultyText) -> str:
    """Return the statement before and after the change, without variables and numbers."""
    both = f"{fault.shown_right} -> {fault.shown}"
    return NUMBER.sub("0", VARIABLE.sub("v", both))
