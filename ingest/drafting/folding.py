"""Removal of what the fixed arguments of one function decide: branches, and names of constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from curation.source.functions import is_docstring
from curation.source.text import UNREADABLE, Edits, parse, rewrite, walk
from ingest.drafting.called import is_still
from ingest.drafting.dead_branches import drop_decided, take_branch

ROUNDS = 60
TENSOR = object()
"""The value of a name that holds a tensor."""
PLAIN = object()
"""The value of a name that holds a number or a text."""
PRESENT = object()
"""The value of a name that is not None."""
ALLOCATES = {"empty", "empty_like", "zeros", "zeros_like", "ones", "ones_like", "full",
             "full_like", "new_empty", "new_zeros"}  # fmt: skip
OF_TENSORS = {"torch.Tensor", "Tensor"}
Known = Mapping[str, object]


def fold_function(text: str, name: str, parameters: Known) -> str:
    """Return the module whose function `name` lacks the branches that constants at its beginning
    exclude. `parameters`: those of which the kind is known, with TENSOR or PLAIN.
    """
    try:
        tree = parse(text)
    except UNREADABLE:
        return text
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            edits = Edits(text)
            first, last = edits.line_start(function), edits.end(function)
            # Its own text is read much faster than the module, and once for each change.
            before, own, behind = edits.parted(first, last)
            changed = rewrite(own, lambda text: _folded(text, name, parameters), ROUNDS)
            return f"{before}{changed}{behind}"
    return text


def _folded(text: str, name: str, kinds: Known) -> str | None:
    """Return the text after one change, or None if nothing is left to change."""
    for function in parse(text).body:
        if isinstance(function, ast.FunctionDef) and function.name == name:
            edits = Edits(text)
            parameters = [each.arg for each in function.args.args]
            known = {each: kinds[each] for each in parameters if each in kinds}
            if _changes(function, known, edits) or _drops_behind_return(function, edits):
                return edits.text()
    return None


def _changes(function: ast.FunctionDef, kinds: Known, edits: Edits) -> bool:
    for node in walk(function):
        match node:
            case ast.Compare(
                left=ast.Constant(value=bool() | None as left),
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Constant(value=bool() | None as right)],
            ):
                edits.put(node, str((left is right) == isinstance(op, ast.Is)))
                return True
            case ast.Compare(
                left=ast.Name(id=first),
                ops=[ast.Is() | ast.IsNot() as op],
                comparators=[ast.Name(id=second)],
            ) if first == second:
                edits.put(node, str(isinstance(op, ast.Is)))
                return True
            case ast.Compare(
                left=ast.Constant(value=str() as left),
                ops=[ast.Eq() | ast.NotEq() as op],
                comparators=[ast.Constant(value=str() as right)],
            ):
                edits.put(node, str((left == right) == isinstance(op, ast.Eq)))
                return True
            case ast.Compare(
                left=ast.Constant(value=str() as left),
                ops=[ast.In() | ast.NotIn() as op],
                comparators=[ast.Tuple(elts=elements) | ast.List(elts=elements)],
            ) if all(isinstance(each, ast.Constant) for each in elements):
                held = any(isinstance(e, ast.Constant) and e.value == left for e in elements)
                edits.put(node, str(held == isinstance(op, ast.In)))
                return True
            case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool(truth))):
                edits.put(node, str(not truth))
                return True
            case ast.If(test=test) | ast.IfExp(test=test) if drop_decided(test, edits):
                return True
            case ast.If(test=ast.BoolOp(op=ast.Or(), values=values)):
                absent = [
                    each
                    for each in values[1:]
                    if isinstance(each, ast.Constant) and each.value is None
                ]
                if absent:
                    edits.drop_among(values, absent)
                    return True
    body = function.body
    known = dict(kinds)
    constants: list[tuple[str, ast.Assign]] = []
    leading = True
    for place, statement in enumerate(body):
        if is_docstring(statement):
            continue
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if leading and _is_constant(
                value
            ):
                known[name] = ast.literal_eval(value)
                constants.append((name, statement))
                continue
        leading = leading and isinstance(statement, ast.Assign)
        if isinstance(statement, ast.If) and value_of(statement.test, known) is not None:
            return _keep(statement, body, known, edits)
        later = _stored(body[place + 1 :]) if known else set()
        if isinstance(statement, ast.Assign):
            # Its value is computed before its names are bound.
            lasting = {n: v for n, v in known.items() if n not in later}
            if _folds_inside(ast.Expr(statement.value), known, lasting, edits):
                return True
        stored = _stored([statement])
        for each in (stored - _still(statement)) & known.keys():
            del known[each]
        everywhere = {n: v for n, v in known.items() if n not in stored | later}
        if _folds_inside(statement, known, everywhere, edits):
            return True
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if kind := _kind_of(value):
                known[name] = kind
    return _drops_constants(function, constants, edits)


def _keep(statement: ast.If, block: Sequence[ast.stmt], known: Known, edits: Edits) -> bool:
    """Keep the branch of a statement that is taken."""
    kept = statement.body if value_of(statement.test, known) else statement.orelse
    if _has_long_text(kept):
        return False
    take_branch(statement, kept, edits, alone=len(block) == 1)
    return True


def _has_long_text(statements: Sequence[ast.stmt]) -> bool:
    """Return whether a text of several lines would change with its indentation."""
    return any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno != node.lineno
        for statement in statements
        for node in walk(statement)
    )


def _folds_inside(statement: ast.stmt, known: Known, everywhere: Known, edits: Edits) -> bool:
    """Fold one condition inside of a statement. Functions in it may run later."""
    for node, valid in _within(statement, known, everywhere):
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            for each in block if isinstance(block, list) else ():
                if (
                    isinstance(block, list)
                    and isinstance(each, ast.If)
                    and value_of(each.test, valid) is not None
                    and _keep(each, block, valid, edits)
                ):
                    return True
        if isinstance(node, ast.IfExp) and value_of(node.test, valid) is not None:
            kept = node.body if value_of(node.test, valid) else node.orelse
            edits.put(node, edits.of(kept))
            return True
        if isinstance(node, ast.keyword) and isinstance(node.value, ast.Compare):
            decided = value_of(node.value, valid)
            if decided is not None:
                edits.put(node.value, str(decided))
                return True
    return False


def _within(node: ast.AST, known: Known, everywhere: Known) -> Iterator[tuple[ast.AST, Known]]:
    if isinstance(node, ast.FunctionDef | ast.Lambda):
        taken = {each.arg for each in walk(node.args) if isinstance(each, ast.arg)}
        known = {name: value for name, value in everywhere.items() if name not in taken}
    yield node, known
    for child in ast.iter_child_nodes(node):
        yield from _within(child, known, everywhere)


def value_of(test: ast.expr, known: Known) -> bool | None:
    """Return the value of a condition, or None if the known names do not decide it."""
    match test:
        case ast.Constant(value=bool(value)):
            return value
        case ast.Name(id=name) if name in known and not _is_kind(known[name]):
            return bool(known[name])
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = value_of(operand, known)
            return None if inner is None else not inner
        case ast.BoolOp(op=op, values=values):
            decides = isinstance(op, ast.Or)
            each = [value_of(value, known) for value in values]
            # An operand before the deciding one is evaluated, and must have no effect.
            if decides in each:
                return decides
            return None if None in each else not decides
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[other]) if _is_constant(
            other
        ):
            return _compared(known[name], op, ast.literal_eval(other)) if name in known else None
        case ast.Call(func=func, args=[ast.Name(id=name), *kinds]) if name in known:
            return _of_kind(ast.unparse(func), known[name], [ast.unparse(kind) for kind in kinds])
    return None


def _compared(value: object, op: ast.cmpop, other: object) -> bool | None:
    if isinstance(op, ast.Is | ast.IsNot):
        if other is not None:
            return None
        return (value is None) == isinstance(op, ast.Is)
    if _is_kind(value) or not isinstance(op, ast.Eq | ast.NotEq):
        return None
    return (value == other) == isinstance(op, ast.Eq)


def _of_kind(function: str, value: object, kinds: Sequence[str]) -> bool | None:
    """Return the value of `isinstance(x, torch.Tensor)` or `torch.is_tensor(x)`."""
    asks = function == "torch.is_tensor" or (
        function == "isinstance" and len(kinds) == 1 and kinds[0] in OF_TENSORS
    )
    return value is TENSOR if asks and value is not PRESENT else None


def _is_constant(node: ast.expr) -> bool:
    """Return whether an expression is a written constant, or a number with a minus sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return isinstance(node.operand, ast.Constant) and type(node.operand.value) in {int, float}
    return isinstance(node, ast.Constant)


def _is_kind(value: object) -> bool:
    return any(value is kind for kind in (TENSOR, PLAIN, PRESENT))


def _still(statement: ast.stmt) -> set[str]:
    """Return the name that a statement binds to its own tensor in another shape, if it does."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_still(value, name):
            return {name}
    return set()


def _kind_of(value: ast.expr) -> object:
    """Return what is certain of an expression that is not None, or None."""
    match value:
        case ast.Attribute(attr="device" | "dtype" | "shape") | ast.Name(id="DEVICE"):
            return PRESENT
        case ast.Call(func=ast.Name(id="list" | "tuple" | "int" | "float" | "bool")):
            return PRESENT
        case ast.Call(func=ast.Attribute(attr=called)) if called in ALLOCATES:
            return TENSOR
        case ast.List() | ast.Tuple() | ast.Dict() | ast.Compare():
            return PRESENT
    return None


def _drops_constants(
    function: ast.FunctionDef, constants: Sequence[tuple[str, ast.Assign]], edits: Edits
) -> bool:
    """Drop an assigned constant that nothing reads, or write None, True and False where they are
    read.
    """
    for name, statement in constants:
        rest = [each for each in function.body if each is not statement]
        behind = rest[function.body.index(statement) :]
        reads = [
            node
            for each in rest
            for node in walk(each)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        if _is_overwritten(name, behind):
            edits.drop(statement, alone=False)
            return True
        value = statement.value
        plain = isinstance(value, ast.Constant) and isinstance(value.value, bool | None)
        if name in _stored(rest) or _in_texts(rest, name):
            continue
        if reads and not plain:
            continue
        for node in reads:
            edits.put(node, ast.unparse(value))
        edits.drop(statement, alone=len(function.body) == 1)
        return True
    return False


def _is_overwritten(name: str, rest: Sequence[ast.stmt]) -> bool:
    """Return whether a plain assignment to a name comes before all that reads it."""
    for statement in rest:
        names = [n for n in walk(statement) if isinstance(n, ast.Name) and n.id == name]
        if names:
            return isinstance(statement, ast.Assign) and names == statement.targets
    return False


def _in_texts(statements: Sequence[ast.stmt], name: str) -> bool:
    """Return whether a text with values in braces reads a name, or a function binds it."""
    for statement in statements:
        for node in walk(statement):
            if isinstance(node, ast.arg) and node.arg == name:
                return True
            if isinstance(node, ast.JoinedStr) and any(
                isinstance(inner, ast.Name) and inner.id == name for inner in walk(node)
            ):
                return True
    return False


def _stored(statements: Sequence[ast.stmt]) -> set[str]:
    return {
        node.id
        for statement in statements
        for node in walk(statement)
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def _drops_behind_return(function: ast.FunctionDef, edits: Edits) -> bool:
    """Drop what stands behind a `return` of the function itself."""
    for place, statement in enumerate(function.body[:-1]):
        if isinstance(statement, ast.Return | ast.Raise):
            first, last = edits.end(statement), edits.end(function.body[-1])
            edits.replace(first, last, "")
            return place >= 0
    return False
