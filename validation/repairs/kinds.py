"""Every kind of mistake, by its name."""

from validation.repairs import arithmetic, launches, memory
from validation.repairs.kind import Kind

KINDS: dict[str, Kind] = {
    kind.name: kind for kind in (*memory.KINDS, *arithmetic.KINDS, *launches.KINDS)
}
