"""A kind of mistake."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from validation.repairs.source import Edits, Fault, Source


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mistake.

    name: in the dataset and at the shell.
    places: the edits of each place of a text where the mistake can be made.
    why: the reason why it is wrong, as a sentence.
    """

    name: str
    places: Callable[[Source], Iterable[Edits]]
    why: str

    def faults(self, source: Source) -> Iterator[Fault]:
        """Yield the faulty texts, each with one mistake."""
        known = set()
        for edits in self.places(source):
            fault = source.fault(edits)
            if fault is not None and fault.code not in known:
                known.add(fault.code)
                yield fault

    def explain(self, fault: Fault) -> str:
        return f"Line {fault.line}, `{fault.shown}`: {self.why}"
