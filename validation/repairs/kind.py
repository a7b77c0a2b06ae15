"""A kind of mistake."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from random import Random

from validation.repairs.source import Edits, FaultyText, Mistake, ParsedText


@dataclass(frozen=True, slots=True)
class MistakeKind:
    """A kind of mistake.

    name: name in the dataset and on the command line.
    places: yields edits for each position where the mistake can be made, perhaps with facts.
    why: explanation of the mistake, in sentences. `{name}` is replaced by a fact.
    fix: explanation of the correction, in the same form.
    needs_variations: whether it may show only on sizes or values beyond the cases of a test.
    shown_in_interpreter: words of a check that must fail in Triton's interpreter. Other failures
    there prove nothing, because the interpreter computes on the bit patterns of bfloat16.
    """

    name: str
    places: Callable[[ParsedText], Iterable[Edits | Mistake]]
    why: str
    fix: str
    needs_variations: bool = False
    shown_in_interpreter: str = ""

    def faults(self, source: ParsedText, draw: Random | None = None) -> Iterator[FaultyText]:
        """Yield texts with one mistake each, in the order of positions, or shuffled by `draw`."""
        places = list(self.places(source))
        if draw is not None:
            draw.shuffle(places)
        known = set()
        for place in places:
            fault = source.fault(place if isinstance(place, Mistake) else Mistake(place))
            if fault is not None and fault.code not in known:
                known.add(fault.code)
                yield fault

    def explain(self, fault: FaultyText) -> str:
        why, fix = (text.format(**fault.facts) for text in (self.why, self.fix))
        if fault.lacks_statement:
            return (
                f"A statement is missing in {fault.place}. {why}\n\n"
                f"The correction inserts `{fault.shown_right}` there. {fix}"
            )
        return (
            f"The mistake is in {fault.place}: `{fault.shown}`. {why}\n\n"
            f"The correction is `{fault.shown_right}`. {fix}"
        )
