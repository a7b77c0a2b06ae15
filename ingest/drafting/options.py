"""Removal of launch options that only other compilers know: AMD's, or one for a CPU. Triton refuses
a launch for CUDA that names one.
"""

from __future__ import annotations

import ast

from curation.source.text import UNREADABLE, Edits

FOREIGN = {"waves_per_eu", "matrix_instr_nonkdim", "kpack", "num_cpu_threads", "num_threads",
           "assume_in_bounds"}  # fmt: skip


def remove_foreign_options(text: str) -> str:
    """Return the module with launches and configurations that any GPU accepts."""
    if not any(name in text for name in FOREIGN):
        return text
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except UNREADABLE:
        return text
    # A kernel may have a parameter with the name of an option.
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
