"""Choice of the name that both sides of a pair define.

A draft is assembled under a name that no text of the repository holds. Afterwards it gets the
operation's own name, and a launcher of that name becomes `launch_…`.
"""

from __future__ import annotations

import ast
import io
import re
import symtable
import tokenize
from collections.abc import Iterator
from dataclasses import replace

from curation.source.text import UNREADABLE, parse, walk
from ingest.drafting.outcomes import DraftTexts, OperationDraft
from ingest.drafting.reading.naming import is_part, plain_name, to_snake_case

# A kernel that is written for `relu_func` or `relu_kernel`.
WRITTEN = re.compile(r"^(?P<name>\w+?)_(func|kernel)_kernel$")


def with_own_name(draft: OperationDraft, operation: str, called: str = "") -> OperationDraft:
    """Return the draft under the first name of its operation that its texts leave free. `called`:
    the function that the author's test calls.
    """
    of_torch = _torch_function(draft.texts.python_code, draft.entry_point)
    for name in _candidates(operation, called, of_torch):
        texts = _renamed(draft.texts, draft.entry_point, name)
        if texts is not None:
            texts = replace(texts, triton_code=_with_plain_kernels(texts.triton_code))
            return replace(draft, entry_point=name, texts=texts)
    return draft


def possible_names(draft: OperationDraft, operation: str, called: str) -> frozenset[str]:
    """Return the operation's own names, which `with_own_name` may give to the draft."""
    of_torch = _torch_function(draft.texts.python_code, draft.entry_point)
    return frozenset(_candidates(operation, called, of_torch))


def _torch_function(text: str, name: str) -> str:
    """Return the function of torch that a reference only calls, or ""."""
    for node in parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            returned = node.body[-1]
            value = returned.value if isinstance(returned, ast.Return) else None
            calls = [each for each in walk(node) if isinstance(each, ast.Call)]
            named = [ast.unparse(each.func) for each in calls]
            found = [each for each in named if each.startswith(("torch.", "F."))]
            if isinstance(value, ast.Call) and len(found) == 1:
                return found[0].rpartition(".")[2]
    return ""


def _candidates(operation: str, called: str, of_torch: str) -> Iterator[str]:
    """Yield names of the operation, the repository's own last: its launcher often has it. That of
    torch comes first if the launcher has it and the operation is only a helper of the launcher.

    A class such as `FusedRecurrent` is known by a function of a longer name that applies it.
    """
    last = operation.rpartition(".")[2]
    names = [plain_name(last), to_snake_case(last)]
    if is_part(last, called, of_torch):
        names.insert(0, of_torch)
    longer = plain_name(called) if called and last.strip("_")[:1].isupper() else ""
    if set(names[0].split("_")) < set(longer.split("_")) - {"fused"}:
        names.insert(0, longer)
    names.append(f"tensor_{plain_name(last)}")
    for name in dict.fromkeys(names):
        if name.isidentifier():
            yield name


def _renamed(texts: DraftTexts, old: str, new: str) -> DraftTexts | None:
    try:
        python = _Names(texts.python_code)
        triton = _Names(texts.triton_code)
        test = _Names(texts.test_code)
    except (*UNREADABLE, tokenize.TokenError):
        return None
    if new in python.used or new in test.used:
        return None
    moves = {old: new}
    if new in triton.used:
        launcher = f"launch_{new}"
        if new not in triton.functions or launcher in triton.names or new in triton.awkward:
            return None
        moves[new] = launcher
    return DraftTexts(python.moved({old: new}), triton.moved(moves), test.moved({old: new}))


def _with_plain_kernels(text: str) -> str:
    """Rename kernels such as `relu_func_kernel` to `relu_kernel`, where that name is free."""
    try:
        names = _Names(text)
    except (*UNREADABLE, tokenize.TokenError):
        return text
    moves: dict[str, str] = {}
    for name in sorted(names.functions - names.awkward):
        plain = WRITTEN.sub(r"\g<name>_kernel", name)
        if plain != name and plain not in {*names.names, *moves.values()}:
            moves[name] = plain
    return names.moved(moves)


class _Names:
    """The names of a text, without attributes."""

    def __init__(self, text: str) -> None:
        self._lines = text.splitlines(keepends=True)
        tree = parse(text)
        self.functions = {each.name for each in tree.body if isinstance(each, ast.FunctionDef)}
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
        self._places = [
            token
            for before, token in zip([None, *tokens], tokens, strict=False)
            if token.type == tokenize.NAME and not (before is not None and before.string == ".")
        ]
        self.names = {token.string for token in self._places}
        self.used = _module_names(symtable.symtable(text, "text", "exec"))
        """Names that mean something at the top level, those of Python itself included."""
        self.awkward = {
            node.arg
            for node in walk(tree)
            if isinstance(node, ast.keyword | ast.arg) and node.arg is not None
        }
        """Names of parameters and keywords: a function of such a name can't be renamed."""

    def moved(self, moves: dict[str, str]) -> str:
        lines = list(self._lines)
        for token in reversed(self._places):
            if token.string in moves:
                row, start, end = token.start[0] - 1, token.start[1], token.end[1]
                lines[row] = lines[row][:start] + moves[token.string] + lines[row][end:]
        return "".join(lines)


def _module_names(table: symtable.SymbolTable) -> set[str]:
    """Return the names that a module binds, or that its functions read from there."""
    names = {
        symbol.get_name()
        for symbol in table.get_symbols()
        if table.get_type() == "module" or symbol.is_global()
    }
    return names.union(*map(_module_names, table.get_children()))


def find_called(text: str, name: str) -> str:
    """Return the name of the one function of the text that `name` calls, or ""."""
    tree = parse(text)
    functions = {each.name: each for each in tree.body if isinstance(each, ast.FunctionDef)}
    if name not in functions:
        return ""
    called = {
        node.func.id
        for node in walk(functions[name])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    own = called & functions.keys()
    return own.pop() if len(own) == 1 else ""
