"""A kind of mistake."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

from validation.repairs.source import Edits, Fault, Source


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of mistake.

    name: in the dataset and at the shell.
    places: the edits of each place of a text where the mistake can be made.
    why: the reason why it is wrong, in sentences.
    fix: how the correction mends it, as a sentence.
    needs_variations: whether it may show only on sizes or values beyond the cases of a test.
    """

    name: str
    places: Callable[[Source], Iterable[Edits]]
    why: str
    fix: str
    needs_variations: bool = False

    def faults(self, source: Source, draw: Random | None = None) -> Iterator[Fault]:
        """Yield the faulty texts, each with one mistake, in the order of the text or at random."""
        places = list(self.places(source))
        if draw is not None:
            draw.shuffle(places)
        known = set()
        for edits in places:
            fault = source.fault(edits)
            if fault is not None and fault.code not in known:
                known.add(fault.code)
                yield fault

    def explain(self, fault: Fault) -> str:
        return (
            f"Line {fault.line} is wrong: `{fault.shown}`. {self.why}\n\n"
            f"The correction is `{fault.shown_right}`. {self.fix}"
        )
