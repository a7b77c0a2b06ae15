"""Constants of classes that only hold constants, written where they are read."""

from __future__ import annotations

import ast

from ingest.drafting.edits import Edits, parse, rewrite, walk

ROUNDS = 20


def write_constants(text: str) -> str:
    """Return the module that reads no constant from an instance of a class:
    `config = Config()`, `kind = config.kind` become `kind = torch.float8_e4m3fn`.
    """
    return rewrite(text, _written_once, ROUNDS)


def _written_once(text: str) -> str:
    tree = parse(text)
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    edits = Edits(text)
    for statement in tree.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id=owner), args=[], keywords=[]),
            ) if owner in classes:
                constants = _constants(classes[owner])
                names = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == name]
                reads = [
                    node
                    for node in walk(tree)
                    if isinstance(node, ast.Attribute)
                    and isinstance(node.value, ast.Name)
                    and node.value.id == name
                    and isinstance(node.ctx, ast.Load)
                    and node.attr in constants
                ]
                owners = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == owner]
                if not constants or len(reads) != len(names) - 1 or len(owners) != 1:
                    continue
                for read in reads:
                    edits.put(read, constants[read.attr])
                edits.drop(statement, alone=False)
                edits.replace(edits.start(classes[owner]), edits.end(classes[owner]), "")
                for decorator in classes[owner].decorator_list:
                    edits.drop_decorator(decorator)
                edits.drop_comments(statement)
                return edits.text()
    return text


def _constants(owner: ast.ClassDef) -> dict[str, str]:
    """Return the constants of a class, or nothing if it holds or computes anything else."""
    if owner.bases or {ast.unparse(each) for each in owner.decorator_list} - {"dataclass"}:
        return {}
    constants: dict[str, str] = {}
    for statement in owner.body:
        match statement:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                continue
            case ast.FunctionDef(name="__post_init__", body=[ast.Pass()]):
                continue
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if isinstance(value, ast.Constant) or ast.unparse(value).startswith("torch."):
                constants[name] = ast.unparse(value)
            case _:
                return {}
    return constants
