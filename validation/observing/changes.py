"""Changes that an observed run suggests. Each is kept only if the draft still does the same."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from curation.source.branches import blocks, take_branch
from curation.source.functions import loaded_names, signature, stored_names
from curation.source.text import Edit, Edits, parse, walk
from validation.observing.instrument import is_kernel, reads_environment
from validation.observing.parameters import drop_parameters, find_calls, parameters_of, unread

Texts = Mapping[str, str]
Observed = Mapping[str, Any]
Known = Mapping[str, object]
"""Values of names: None, a truth value, a text, a number, or `...` for a tensor."""
Change = Mapping[str, tuple[Edit, ...]]
"""The edits of each text, by its name."""
OWN = ("make_inputs", "test_equivalence", "CASES", "TOLERANCE", "FIXED")
"""Names of a test that a checker reads."""
# Words of conditions on layouts, which a checker varies although no case does.
# With more launches of different constants, a kernel keeps its branches.
CONSTANTS_MOST = 200
LAYOUT = ("stride", "contiguous", "data_ptr")


def branches(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Take the branch of each condition of the host code that had one outcome in all cases."""
    for name, text in texts.items():
        outcomes = {
            (line, column): set(each) for line, column, each in seen["outcomes"].get(name, [])
        }
        tree = parse(text)
        kernels = _inside_kernels(tree)
        for block in blocks(tree):
            for node in block:
                outcome = outcomes.get((node.lineno, node.col_offset), set())
                if isinstance(node, ast.If) and len(outcome) == 1 and node not in kernels:
                    kept, gone = _parted(node, outcome == {True})
                    if _only_raises(gone) or not _is_about_sizes(node.test):
                        yield _one(name, text, _taking(node, kept, alone=len(block) == 1))
        for expression in walk(tree):
            if isinstance(expression, ast.IfExp) and expression not in kernels:
                outcome = outcomes.get((expression.lineno, expression.col_offset), set())
                if len(outcome) == 1 and not _is_about_sizes(expression.test):
                    kept_value = expression.body if outcome == {True} else expression.orelse
                    yield _one(name, text, _putting(expression, kept_value))


def _parted(node: ast.If, outcome: bool) -> tuple[list[ast.stmt], list[ast.stmt]]:
    return (node.body, node.orelse) if outcome else (node.orelse, node.body)


def _taking(node: ast.If, kept: list[ast.stmt], *, alone: bool) -> Callable[[Edits], None]:
    return lambda edits: take_branch(node, kept, edits, alone=alone)


def _putting(node: ast.expr, kept: ast.expr) -> Callable[[Edits], None]:
    loose = isinstance(kept, ast.IfExp | ast.BoolOp | ast.Compare | ast.BinOp | ast.Lambda)
    return lambda edits: edits.put(node, f"({edits.of(kept)})" if loose else edits.of(kept))


def _only_raises(block: Collection[ast.stmt]) -> bool:
    return all(isinstance(each, ast.Raise) for each in block)


def _is_about_sizes(test: ast.expr) -> bool:
    """Return whether other sizes or layouts may change a condition, which no case tried."""
    ordering = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Mod)
    written = ast.unparse(test)
    return any(isinstance(node, ordering) for node in walk(test)) or any(
        word in written for word in LAYOUT
    )


def _inside_kernels(tree: ast.Module) -> set[ast.AST]:
    return {
        node
        for function in walk(tree)
        if isinstance(function, ast.FunctionDef) and is_kernel(function)
        for node in walk(function)
    }


def environment(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace what is read from the environment by its value where no variable is set."""
    for name, text in texts.items():
        known = {(line, column): value for line, column, value in seen["settings"].get(name, [])}
        for node in walk(parse(text)):
            if isinstance(node, ast.Assign) and reads_environment(node):
                value = known.get((node.lineno, node.col_offset))
                if value:
                    edits = Edits(text)
                    edits.put(node.value, value)
                    yield {name: edits.made()}


def parameters(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Replace parameters of helpers that had one value, such as None or True, in all calls."""
    for name, text in texts.items():
        tree = parse(text)
        values = seen["values"].get(name, {})
        for function in tree.body:
            if not isinstance(function, ast.FunctionDef) or function.name in (entry, *OWN):
                continue
            calls = find_calls(tree, function.name)
            if is_kernel(function) or function.decorator_list or not calls:
                continue
            stored = frozenset().union(*map(stored_names, function.body))
            for parameter in parameters_of(function):
                known = values.get(str(function.lineno), {}).get(parameter.arg, [])
                if _is_switch(known) and parameter.arg not in stored:
                    edits = Edits(text)
                    _replace_loads(function, parameter.arg, known[0], edits)
                    drop_parameters(function, {parameter.arg}, calls, edits)
                    yield {name: edits.made()}


def _is_switch(values: Sequence[str]) -> bool:
    """Return whether the only value is None, a truth value or a text."""
    return len(values) == 1 and (values[0] in ("None", "True", "False") or values[0][:1] in "'\"")


def kernel_branches(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Take the branches of kernels, and of functions that these call, that all launches take."""
    text = texts["triton_code"]
    tree = parse(text)
    kernels = {
        each.name: each
        for each in tree.body
        if isinstance(each, ast.FunctionDef) and is_kernel(each)
    }
    for name, constants in _constants(kernels, seen["launches"], _varied_names(tree)).items():
        for block in blocks(kernels[name]):
            for node in block:
                if isinstance(node, ast.If) and (outcome := _outcome(node.test, constants)):
                    kept, _ = _parted(node, outcome == {True})
                    yield _one("triton_code", text, _taking(node, kept, alone=len(block) == 1))
        for expression in walk(kernels[name]):
            if isinstance(expression, ast.IfExp) and (
                outcome := _outcome(expression.test, constants)
            ):
                chosen = expression.body if outcome == {True} else expression.orelse
                yield _one("triton_code", text, _putting(expression, chosen))


def _constants(
    kernels: Mapping[str, ast.FunctionDef],
    launches: Mapping[str, list[dict[str, str]]],
    varied: set[str],
) -> dict[str, list[Known]]:
    """Return the constants with which each kernel, and each function that it calls, is run."""
    by_kernel: dict[str, list[Known]] = {}
    pending = [
        (name, {each: ast.literal_eval(value) for each, value in constants.items()})
        for name, rows in launches.items()
        for constants in rows
    ]
    while pending:
        name, values = pending.pop()
        if name not in kernels:
            continue
        stored = frozenset().union(*map(stored_names, kernels[name].body))
        known = {each: value for each, value in values.items() if each not in varied | stored}
        if known in by_kernel.setdefault(name, []) or len(by_kernel[name]) >= CONSTANTS_MOST:
            continue
        by_kernel[name].append(known)
        for call in walk(kernels[name]):
            match call:
                case ast.Call(func=ast.Name(id=other)) if other in kernels:
                    given = signature(kernels[other].args).bind(call) or {}
                    pending.append((other, dict(_literals(given, known))))
    return {name: rows for name, rows in by_kernel.items() if len(rows) < CONSTANTS_MOST}


def _literals(given: Mapping[str, ast.expr], known: Known) -> Iterator[tuple[str, object]]:
    for name, value in given.items():
        match value:
            case ast.Constant(value=constant):
                yield name, constant
            case ast.Name(id=other) if other in known:
                yield name, known[other]


def _outcome(test: ast.expr, constants: Sequence[Known]) -> set[bool]:
    """Return the only outcome of a kernel's condition, or an empty set."""
    outcomes = {_value(test, known) for known in constants}
    return (
        {bool(each) for each in outcomes} if len(outcomes) == 1 and None not in outcomes else set()
    )


def _value(test: ast.expr, known: Known) -> bool | None:
    """Return the value of a kernel's condition for known constants, or None if it needs more."""
    match test:
        case ast.Constant(value=bool(value)):
            return value
        case ast.Name(id=name) if isinstance(known.get(name, 0), bool | str | None):
            return bool(known[name])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _value(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [_value(value, known) for value in values]
            if decides in each:
                return decides
            return None if None in each else not decides
        case ast.Compare(
            left=ast.Name(id=name),
            ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=other)],
        ) if name in known:
            return (known[name] == other) == isinstance(op, ast.Eq | ast.Is)
    return None


def _varied_names(tree: ast.Module) -> set[str]:
    """Return the names of kernels that a configuration sets, or that tell whether sizes divide."""
    varied: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="Config"), args=[ast.Dict(keys=keys), *_]):
                varied |= {str(key.value) for key in keys if isinstance(key, ast.Constant)}
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                varied |= {
                    str(key.value)
                    for key, value in pairs
                    if isinstance(key, ast.Constant) and _is_about_sizes(value)
                }
            case ast.keyword(arg=str(name), value=value) if _is_about_sizes(value):
                varied.add(name)
    return varied


def unread_parameters(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop the parameters of helpers and kernels that their bodies do not read."""
    for name, text in texts.items():
        tree = parse(text)
        for function, dropped, calls in unread(tree, (entry, *OWN)):
            edits = Edits(text)
            drop_parameters(function, dropped, calls, edits)
            yield {name: edits.made()}


def unread_values(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop the assignments of host code whose names nothing reads."""
    for name, text in texts.items():
        tree = parse(text)
        for function in walk(tree):
            if not isinstance(function, ast.FunctionDef) or is_kernel(function):
                continue
            read = loaded_names(function)
            for block in blocks(function):
                for node in block:
                    if isinstance(node, ast.Assign) and _names(node) and not _names(node) & read:
                        yield _one(name, text, _dropping(node, alone=len(block) == 1))


def _names(node: ast.Assign) -> set[str]:
    """Return the names that an assignment binds, or none if it changes anything else."""
    targets = [part for target in node.targets for part in walk(target)]
    plain = all(isinstance(each, ast.Name | ast.Tuple | ast.expr_context) for each in targets)
    return {each.id for each in targets if isinstance(each, ast.Name)} if plain else set()


def _dropping(node: ast.stmt, *, alone: bool) -> Callable[[Edits], None]:
    return lambda edits: edits.drop(node, alone=alone)


def unused_definitions(texts: Texts, seen: Observed, entry: str) -> Iterator[Change]:
    """Drop the definitions and imports that the entry point does not lead to."""
    for name, text in texts.items():
        tree = parse(text)
        bound = [(node, stored_names(node) | _imported(node)) for node in tree.body]
        wanted = {*OWN} if name == "test_code" else {entry}
        for node, names in bound:
            if not names:
                wanted |= loaded_names(node)
        count = 0
        while count < len(wanted):
            count = len(wanted)
            for node, names in bound:
                if names & wanted:
                    wanted |= loaded_names(node)
        edits = Edits(text)
        for node, names in bound:
            if names and not names & wanted:
                edits.replace(*_lines(edits, node, text), "")
        if edits.made():
            yield {name: edits.made()}


def _lines(edits: Edits, node: ast.stmt, text: str) -> tuple[int, int]:
    """Return the range of a statement's lines. A function goes with the empty lines before it."""
    data = text.encode()
    start, end = edits.line_start(node), data.find(b"\n", edits.end(node))
    if isinstance(node, ast.FunctionDef | ast.ClassDef) and start:
        start = len(data[:start].rstrip(b"\n")) + 1
    return start, len(data) if end < 0 else end + 1


def _imported(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return {each.asname or each.name.partition(".")[0] for each in node.names}
    return set()


def _replace_loads(function: ast.FunctionDef, name: str, value: str, edits: Edits) -> None:
    for statement in function.body:
        for node in walk(statement):
            if isinstance(node, ast.Name) and node.id == name:
                edits.put(node, value)


def _one(name: str, text: str, edit: Callable[[Edits], None]) -> Change:
    edits = Edits(text)
    edit(edits)
    return {name: edits.made()}


RULES = (
    environment, branches, parameters, kernel_branches, unread_values, unread_parameters,
    unused_definitions,
)  # fmt: skip
