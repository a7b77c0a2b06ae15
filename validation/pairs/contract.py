"""Contract of the dataset for a record. It is checked only by syntax: no code of the record is run.

Every violation is a sentence. All violations are reported together, so that an author can correct
them at once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeGuard

from curation.models import Difficulty, OperationType, PairOrigin
from curation.pairs.marks import mark_in

COMPUTED_BY = ("triton", "mixed")
COMPARISONS = ("allclose", "assert_close", "equal")
TEXTS = ("python_code", "triton_code", "test_code")
MOST_CHARACTERS = 1_000_000
LONGEST_DESCRIPTION = 2_000

MAY_IMPORT = {
    "python_code": {"torch", "math", "__future__", "typing", "dataclasses"},
    "triton_code": {"torch", "triton", "math", "__future__", "typing", "dataclasses"},
    "test_code": {
        *("torch", "triton", "numpy", "pytest", "math", "__future__", "typing", "itertools"),
        *("functools", "inspect", "random", "dataclasses", "python_code", "triton_code"),
    },
}
CHOICES = {
    "operation_type": OperationType.values,
    "difficulty": Difficulty.values,
    "origin": PairOrigin.values,
}


def _are_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


# Optional fields of the metadata: default value, condition on the value, message if it fails.
OPTIONAL: Mapping[str, tuple[Any, Callable[[Any], bool], str]] = {
    "description": (
        "", lambda value: isinstance(value, str) and len(value) <= LONGEST_DESCRIPTION,
        f"is not a text of at most {LONGEST_DESCRIPTION:,} characters",
    ),
    "tags": ([], _are_names, "is no list of texts"),
    "mutates": ([], _are_names, "is no list of the names of arguments"),
    "computed_by": (
        "triton", lambda value: value in COMPUTED_BY, f"is neither {' nor '.join(COMPUTED_BY)}",
    ),
    "differentiable": (
        False, lambda value: isinstance(value, bool), "is neither true nor false",
    ),
    "provenance": ({}, lambda value: isinstance(value, Mapping), "is no object"),
}  # fmt: skip
# Optional constants of test_code: permitted syntax of the value, message for other syntax.
CONSTANTS: Mapping[str, tuple[tuple[type[ast.expr], ...], str]] = {
    "CASES": ((ast.List, ast.ListComp), "is no list"),
    "TOLERANCE": ((ast.Dict,), "is no dictionary of (rtol, atol) by dtype"),
    "FIXED": ((ast.Set, ast.Tuple, ast.List, ast.Call), "is no collection of names"),
    "SIZES": ((ast.Dict,), "is no dictionary of what sizes may be, by the name of the size"),
    "PERF_CASES": ((ast.List, ast.ListComp), "is no list"),
}


def violations(record: object) -> list[str]:
    """Return a message for each violation of the contract."""
    if not isinstance(record, Mapping):
        return ["The record is not a JSON object."]
    sentences = [*_of_fields(record)]
    trees: dict[str, ast.Module] = {}
    for key in TEXTS:
        text = record.get(key)
        if isinstance(text, str) and text.strip():
            tree = _parsed(text)
            if isinstance(tree, str):
                sentences.append(f"{key} does not parse: {tree}.")
            else:
                trees[key] = tree
                sentences += _of_imports(key, tree)
    metadata = record.get("metadata")
    if isinstance(metadata, Mapping) and _is_name(entry_point := metadata.get("entry_point")):
        try:
            if mark := mark_in(f"{record.get('triton_code')}", metadata.get("origin")):
                sentences.append(
                    f"triton_code has {mark!r}: the harness chooses where a kernel runs."
                )
            sentences += _of_code(trees, entry_point)
            sentences += _of_mutated(metadata.get("mutates"), trees.get("python_code"), entry_point)
        except RecursionError:
            sentences.append("The code is nested too deeply to be checked.")
    return sentences


def _of_fields(record: Mapping[str, Any]) -> Iterator[str]:
    for key in ("id", *TEXTS):
        value = record.get(key)
        if not isinstance(value, str) or not value.strip():
            yield f"{key} is missing or empty."
        elif len(value) > MOST_CHARACTERS:
            yield f"{key} has {len(value):,} characters; {MOST_CHARACTERS:,} are the most."
    metadata = record.get("metadata")
    if not isinstance(metadata, Mapping):
        yield "metadata is missing or no object."
        return
    for key, allowed in CHOICES.items():
        if metadata.get(key) not in allowed:
            choice = ", ".join(allowed)
            yield f"metadata.{key} is {metadata.get(key)!r}: it must be one of {choice}."
    if not _is_name(entry_point := metadata.get("entry_point")):
        yield f"metadata.entry_point is {entry_point!r}: it must name a function."
    for key, (default, holds, violation) in OPTIONAL.items():
        if not holds(metadata.get(key, default)):
            yield f"metadata.{key} {violation}."


def _is_name(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and value.isidentifier()


def _parsed(text: str) -> ast.Module | str:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__


def _of_imports(key: str, tree: ast.Module) -> Iterator[str]:
    named: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            named.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            named.add("." * node.level + (node.module or ""))
    for name in sorted(named):
        if name.startswith("torch._"):
            yield f"{key} imports {name}: the private parts of torch differ between releases."
        elif name.split(".")[0] not in MAY_IMPORT[key]:
            allowed = ", ".join(sorted(MAY_IMPORT[key] - {"__future__", "typing"}))
            yield f"{key} imports {name}: it may import {allowed} and nothing else."


def _of_code(trees: Mapping[str, ast.Module], entry_point: str) -> Iterator[str]:
    functions = []
    for key in ("python_code", "triton_code"):
        if key in trees:
            functions.append(_function(trees[key], entry_point))
            if functions[-1] is None:
                yield f"{key} defines no function {entry_point} at its top level."
    signatures = [", ".join(_parameters(function)) for function in functions if function]
    if len(set(signatures)) > 1:
        yield (
            f"{entry_point} takes ({signatures[0]}) in python_code and ({signatures[1]}) in "
            f"triton_code: the two signatures must be the same."
        )
    if "triton_code" in trees:
        nodes = list(ast.walk(trees["triton_code"]))
        defined = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        kernels = [node.name for node in defined if _is_kernel(node)]
        if not kernels:
            yield "triton_code holds no function decorated with triton.jit."
        elif entry_point in kernels:
            yield f"{entry_point} is the kernel itself: it must be the function that launches it."
        elif not any(isinstance(node, ast.Call) and _is_launch(node) for node in nodes):
            yield "triton_code launches no kernel: nothing is called as kernel[grid](...)."
    if "test_code" in trees:
        yield from _of_test(trees["test_code"], entry_point)


def _of_mutated(mutates: Any, python: ast.Module | None, entry_point: str) -> Iterator[str]:
    """Yield violations of the rule that `mutates` must name parameters of the entry point."""
    function = _function(python, entry_point) if python is not None else None
    if function is not None and isinstance(mutates, list):
        for name in mutates:
            if name not in _parameters(function):
                yield f"metadata.mutates names {name!r}: {entry_point} takes no such argument."


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    return next((function for function in functions if function.name == name), None)


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [
        *(a.arg for a in (*arguments.posonlyargs, *arguments.args)),
        *([f"*{arguments.vararg.arg}"] if arguments.vararg else []),
        *(a.arg for a in arguments.kwonlyargs),
        *([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []),
    ]


def _is_kernel(node: ast.FunctionDef) -> bool:
    names = (ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list)
    return any(re.fullmatch(r"(.*\.)?jit", name) for name in names)


def _is_launch(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Subscript) or getattr(node.func, "attr", "") == "run"


def _of_test(test: ast.Module, entry_point: str) -> Iterator[str]:
    imported = {
        (node.module, alias.name, alias.asname or alias.name)
        for node in test.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for module, name in (("python_code", "reference"), ("triton_code", "candidate")):
        if (module, entry_point, name) not in imported:
            yield f"test_code does not say “from {module} import {entry_point} as {name}”."
    yield from _of_constants(test)
    make_inputs, check = (_function(test, name) for name in ("make_inputs", "test_equivalence"))
    if make_inputs is None:
        yield "test_code defines no function make_inputs."
    elif _parameters(make_inputs)[:2] != ["case", "device"]:
        yield "make_inputs does not take (case, device)."
    if check is None:
        yield "test_code defines no function test_equivalence."
        return
    if _parameters(check) != ["case"]:
        yield "test_equivalence does not take (case)."
    decorators = map(ast.unparse, check.decorator_list)
    if not any("parametrize" in text and "CASES" in text for text in decorators):
        yield "test_equivalence is not parametrized over CASES."
    called = {ast.unparse(n.func) for n in ast.walk(test) if isinstance(n, ast.Call)}
    if "make_inputs" not in called:
        yield "test_code never calls make_inputs."
    # The names need not be called directly: a loop may iterate over (reference, candidate).
    used = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    for name in ("reference", "candidate"):
        if name not in used:
            yield f"test_code never uses {name}."
    if not any(name.rpartition(".")[2] in COMPARISONS for name in called):
        yield "test_code compares by none of torch.allclose, assert_close and torch.equal."


def _of_constants(test: ast.Module) -> Iterator[str]:
    assigned = {
        target.id: node.value
        for node in test.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    if "CASES" not in assigned:
        yield "test_code defines no constant CASES."
    for name, (kinds, violation) in CONSTANTS.items():
        value = assigned.get(name)
        if value is not None and not isinstance(value, kinds):
            yield f"{name} {violation}."
        elif isinstance(value, ast.List) and name == "CASES":
            if not value.elts:
                yield "CASES is empty."
            elif not all(isinstance(case, ast.Dict) for case in value.elts):
                yield "CASES holds something else than plain dictionaries."
        # Without TOLERANCE, comparisons are bitwise or use the default tolerances of assert_close.
        elif isinstance(value, ast.Dict) and name == "TOLERANCE":
            if not value.values:
                yield "TOLERANCE is no dictionary of (rtol, atol) by dtype."
            elif not all(isinstance(v, ast.Tuple) and len(v.elts) == 2 for v in value.values):
                yield "TOLERANCE holds something else than pairs (rtol, atol)."
