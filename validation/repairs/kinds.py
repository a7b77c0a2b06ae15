"""All kinds of mistakes, by name."""

from validation.repairs import arithmetic, launches, masks, memory, precision, reductions
from validation.repairs.kind import MistakeKind

KINDS: dict[str, MistakeKind] = {
    kind.name: kind
    for module in (masks, memory, precision, reductions, arithmetic, launches)
    for kind in module.KINDS
}
