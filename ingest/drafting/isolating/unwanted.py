"""Removal of log messages, and of launch options that only other compilers accept."""

from __future__ import annotations

import ast
import re

from curation.source.branches import blocks
from curation.source.text import UNREADABLE, Edits, parse

MESSAGE = re.compile(
    r"((\w*_)?(log|logger|logging)\.(debug|info|warning|warn|error|warning_once|info_once|log)"
    r"|warnings\.warn)\(",
    re.I,
)


def remove_logging(text: str) -> str:
    """Return the module without the statements that only log or warn."""
    if not MESSAGE.search(text):
        return text
    edits = Edits(text)
    try:
        for block in blocks(parse(text)):
            calls = [each for each in block if isinstance(each, ast.Expr)]
            messages = [each for each in calls if MESSAGE.match(edits.of(each))]
            for statement in messages:
                edits.drop(statement, alone=len(messages) == len(block))
    except UNREADABLE:
        return text
    return edits.text()


FOREIGN = {"waves_per_eu", "matrix_instr_nonkdim", "kpack", "num_cpu_threads", "num_threads",
           "assume_in_bounds"}  # fmt: skip


def remove_foreign_options(text: str) -> str:
    """Return the module without the launch options that only other compilers accept."""
    if not any(name in text for name in FOREIGN):
        return text
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except UNREADABLE:
        return text
    # A kernel may have a parameter with the same name as an option.
    foreign = FOREIGN - {
        argument.arg
        for node in nodes
        if isinstance(node, ast.FunctionDef) and node.decorator_list
        for argument in ast.walk(node.args)
        if isinstance(argument, ast.arg)
    }
    edits = Edits(text)
    for node in nodes:
        match node:
            case ast.Call(func=ast.Subscript()):
                values = [keyword.value for keyword in node.keywords if keyword.arg in foreign]
                edits.drop_among([*node.args, *(k.value for k in node.keywords)], values)
            case ast.Call(func=ast.Attribute(attr="Config"), args=[ast.Dict() as options, *_]):
                pairs = list(zip(options.keys, options.values, strict=True))
                values = [v for k, v in pairs if isinstance(k, ast.Constant) and k.value in foreign]
                edits.drop_among(options.values, values)
    return edits.text()
