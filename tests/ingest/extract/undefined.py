"""Independent check of a finished module: global names without a definition.

It shares no code with the extraction. Python's symbol tables decide which names are global.
"""

from __future__ import annotations

import builtins
import symtable

MODULE_NAMES = frozenset(
    {
        "__name__",
        "__file__",
        "__doc__",
        "__package__",
        "__spec__",
        "__annotations__",
        "__builtins__",
    }
)


def undefined_names(source: str) -> tuple[str, ...]:
    """Return names that the module looks up globally and that have no binding.

    Raises SyntaxError if Python can't read the source.
    """
    try:
        top = symtable.symtable(source, "<standalone>", "exec")
    except (RecursionError, MemoryError, ValueError) as error:
        raise SyntaxError(f"Python can't read it: {error}") from error
    definitions = set(dir(builtins)) | MODULE_NAMES
    uses: set[str] = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables.extend(table.get_children())
        for symbol in table.get_symbols():
            at_top = table is top or symbol.is_declared_global()
            if at_top and (symbol.is_assigned() or symbol.is_imported()):
                definitions.add(symbol.get_name())
            if symbol.is_referenced() and (symbol.is_global() or table is top):
                uses.add(symbol.get_name())
    return tuple(sorted(uses - definitions))
