"""Kernels that the text of a launcher launches by name: `kernel[grid](...)`."""

import ast


def launched_by_name(triton_code: str) -> frozenset[str]:
    try:
        tree = ast.parse(triton_code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    kernels = {
        node.name
        for node in tree.body
        if isinstance(node, ast.FunctionDef)
        and any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)
    }
    launched = {
        node.func.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Subscript)
        and isinstance(node.func.value, ast.Name)
    }
    return frozenset(kernels & launched)
