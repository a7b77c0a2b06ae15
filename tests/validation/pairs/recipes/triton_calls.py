"""Calls of Triton's functions in a text, bound to the signatures of the installed release."""

from __future__ import annotations

import ast
import functools
import inspect
import re
from collections.abc import Iterator

import triton
import triton.language as tl

MODULES = {"tl": tl, "triton": triton}
PATH = re.compile(r"[\w.]+")


def wrong_calls(code: str) -> Iterator[str]:
    """Yield each call that names no function of Triton, or gives it arguments it lacks."""
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        path = ast.unparse(node.func)
        # Methods of a call's result are not checked.
        if path.partition(".")[0] not in MODULES or not PATH.fullmatch(path):
            continue
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            continue
        names = {keyword.arg: None for keyword in node.keywords if keyword.arg}
        try:
            _signature(path).bind(*node.args, **names)
        except (AttributeError, TypeError) as reason:
            yield f"{ast.unparse(node)}: {reason}"


@functools.cache
def _signature(path: str) -> inspect.Signature:
    module, _, rest = path.partition(".")
    function = functools.reduce(getattr, rest.split("."), MODULES[module])
    # A function that Triton compiles itself is an object around a Python function.
    signature = inspect.signature(getattr(function, "fn", function))
    # The compiler passes these itself.
    public = [one for name, one in signature.parameters.items() if not name.startswith("_")]
    return signature.replace(parameters=public)
