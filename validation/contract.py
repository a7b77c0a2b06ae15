"""Does a record follow the dataset's contract? By syntax alone: nothing of it is run.

Whatever is wrong is said in a sentence, all of it at once, so that an author mends it in one go.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

OPERATION_TYPES = (
    "element-wise", "reduction", "normalization", "softmax", "matmul", "attention", "convolution",
    "scan", "sort", "gather-scatter", "quantization", "loss", "optimizer", "random", "other",
)  # fmt: skip
DIFFICULTIES = ("easy", "medium", "hard")
ORIGINS = ("manual", "template", "real-world", "inductor")
COMPUTED_BY = ("triton", "mixed")
COMPARISONS = ("allclose", "assert_close", "equal")
TEXTS = ("python_code", "triton_code", "test_code")
MOST_CHARACTERS = 1_000_000
LONGEST_DESCRIPTION = 2_000

MAY_IMPORT = {
    "python_code": {"torch", "math", "__future__", "typing"},
    "triton_code": {"torch", "triton", "math", "__future__", "typing"},
    "test_code": {
        *("torch", "triton", "numpy", "pytest", "math", "__future__", "typing", "itertools"),
        *("functools", "inspect", "random", "python_code", "triton_code"),
    },
}


def violations(record: object) -> list[str]:
    """Every breach of the contract, in words; none if the record keeps it."""
    if not isinstance(record, Mapping):
        return ["The record is not a JSON object."]
    found = [*_of_fields(record)]
    trees: dict[str, ast.Module] = {}
    for key in TEXTS:
        text = record.get(key)
        if isinstance(text, str) and text.strip():
            tree = _parsed(text)
            if isinstance(tree, str):
                found.append(f"{key} does not parse: {tree}.")
            else:
                trees[key] = tree
                found += _foreign_imports(key, tree)
    entry_point = _entry_point(record)
    if entry_point is not None:
        try:
            found += _of_code(trees, entry_point)
            found += _of_mutated(record, trees.get("python_code"), entry_point)
        except RecursionError:
            found.append("The code is nested too deeply to be checked.")
    return found


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
    for key, allowed in (
        ("operation_type", OPERATION_TYPES),
        ("difficulty", DIFFICULTIES),
        ("origin", ORIGINS),
    ):
        if metadata.get(key) not in allowed:
            choice = ", ".join(allowed)
            yield f"metadata.{key} is {metadata.get(key)!r}: it must be one of {choice}."
    entry_point = metadata.get("entry_point")
    if not isinstance(entry_point, str) or not entry_point.isidentifier():
        yield f"metadata.entry_point is {entry_point!r}: it must name a function."
    description = metadata.get("description", "")
    if not isinstance(description, str) or len(description) > LONGEST_DESCRIPTION:
        yield f"metadata.description is not a text of at most {LONGEST_DESCRIPTION:,} characters."
    tags = metadata.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        yield "metadata.tags is no list of texts."
    mutates = metadata.get("mutates", [])
    if not isinstance(mutates, list) or not all(isinstance(name, str) for name in mutates):
        yield "metadata.mutates is no list of the names of arguments."
    if metadata.get("computed_by", "triton") not in COMPUTED_BY:
        yield f"metadata.computed_by is neither {' nor '.join(COMPUTED_BY)}."
    if not isinstance(metadata.get("differentiable", False), bool):
        yield "metadata.differentiable is neither true nor false."
    if not isinstance(metadata.get("provenance", {}), Mapping):
        yield "metadata.provenance is no object."


def _entry_point(record: Mapping[str, Any]) -> str | None:
    metadata = record.get("metadata")
    name = metadata.get("entry_point") if isinstance(metadata, Mapping) else None
    return name if isinstance(name, str) and name.isidentifier() else None


def _parsed(text: str) -> ast.Module | str:
    try:
        return ast.parse(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        return str(error) or type(error).__name__


def _foreign_imports(key: str, tree: ast.Module) -> Iterator[str]:
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
    python, triton, test = (trees.get(key) for key in TEXTS)
    functions = {}
    for key, tree in (("python_code", python), ("triton_code", triton)):
        if tree is not None:
            functions[key] = _function(tree, entry_point)
            if functions[key] is None:
                yield f"{key} defines no function {entry_point} at its top level."
    reference, launcher = functions.get("python_code"), functions.get("triton_code")
    if reference is not None and launcher is not None:
        ours, theirs = _parameters(reference), _parameters(launcher)
        if ours != theirs:
            yield (
                f"{entry_point} takes ({', '.join(ours)}) in python_code and "
                f"({', '.join(theirs)}) in triton_code: the two signatures must be the same."
            )
    if triton is not None:
        kernels = [node.name for node in ast.walk(triton) if _is_kernel(node)]  # type: ignore[attr-defined]
        if not kernels:
            yield "triton_code holds no function decorated with triton.jit."
        elif entry_point in kernels:
            yield f"{entry_point} is the kernel itself: it must be the function that launches it."
        elif not any(isinstance(n, ast.Call) and _is_launch(n) for n in ast.walk(triton)):
            yield "triton_code launches no kernel: nothing is called as kernel[grid](...)."
    if test is not None:
        yield from _of_test(test, entry_point)


def _of_mutated(
    record: Mapping[str, Any], python: ast.Module | None, entry_point: str
) -> Iterator[str]:
    """Each name in `mutates` is an argument of the function."""
    function = _function(python, entry_point) if python is not None else None
    metadata = record.get("metadata")
    mutates = metadata.get("mutates") if isinstance(metadata, Mapping) else None
    if function is None or not isinstance(mutates, list):
        return
    for name in mutates:
        if name not in _parameters(function):
            yield f"metadata.mutates names {name!r}: {entry_point} takes no such argument."


def _function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(found, None)


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [
        *(a.arg for a in (*arguments.posonlyargs, *arguments.args)),
        *([f"*{arguments.vararg.arg}"] if arguments.vararg else []),
        *(a.arg for a in arguments.kwonlyargs),
        *([f"**{arguments.kwarg.arg}"] if arguments.kwarg else []),
    ]


def _is_kernel(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef):
        return False
    names = (ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list)
    return any(re.fullmatch(r"(.*\.)?jit", name) for name in names)


def _is_launch(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Subscript) or (
        isinstance(node.func, ast.Attribute) and node.func.attr == "run"
    )


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
    assigned = {
        target.id: node.value
        for node in test.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    yield from _of_constants(assigned)
    make_inputs = _function(test, "make_inputs")
    if make_inputs is None:
        yield "test_code defines no function make_inputs."
    elif _parameters(make_inputs)[:2] != ["case", "device"]:
        yield "make_inputs does not take (case, device)."
    check = _function(test, "test_equivalence")
    if check is None:
        yield "test_code defines no function test_equivalence."
        return
    if _parameters(check) != ["case"]:
        yield "test_equivalence does not take (case)."
    if not any(
        "parametrize" in ast.unparse(d) and "CASES" in ast.unparse(d) for d in check.decorator_list
    ):
        yield "test_equivalence is not parametrised over CASES."
    everywhere = {ast.unparse(n.func) for n in ast.walk(test) if isinstance(n, ast.Call)}
    if "make_inputs" not in everywhere:
        yield "test_code never calls make_inputs."
    # Also handed on as a value, such as in a loop over (reference, candidate).
    used = {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}
    for name in ("reference", "candidate"):
        if name not in used:
            yield f"test_code never uses {name}."
    if not any(name.rpartition(".")[2] in COMPARISONS for name in everywhere):
        choice = "torch.allclose, torch.testing.assert_close or torch.equal"
        yield f"test_code compares by none of {choice}."


def _of_constants(assigned: Mapping[str, ast.expr]) -> Iterator[str]:
    cases = assigned.get("CASES")
    if cases is None:
        yield "test_code defines no constant CASES."
    elif isinstance(cases, ast.List):
        if not cases.elts:
            yield "CASES is empty."
        elif not all(isinstance(case, ast.Dict) for case in cases.elts):
            yield "CASES holds something else than plain dictionaries."
    elif not isinstance(cases, ast.ListComp):
        yield "CASES is no list."
    tolerance = assigned.get("TOLERANCE")
    if tolerance is None:
        # A comparison bit for bit, or by the defaults of assert_close, has none.
        pass
    elif not isinstance(tolerance, ast.Dict) or not tolerance.values:
        yield "TOLERANCE is no dictionary of (rtol, atol) by dtype."
    elif not all(isinstance(v, ast.Tuple) and len(v.elts) == 2 for v in tolerance.values):
        yield "TOLERANCE holds something else than pairs (rtol, atol)."
    fixed = assigned.get("FIXED")
    if fixed is not None and not isinstance(fixed, ast.Set | ast.Tuple | ast.List | ast.Call):
        yield "FIXED is no collection of names."
    sizes = assigned.get("SIZES")
    if sizes is not None and not isinstance(sizes, ast.Dict):
        yield "SIZES is no dictionary of what sizes may be, by the name of the size."
    perf_cases = assigned.get("PERF_CASES")
    if perf_cases is not None and not isinstance(perf_cases, ast.List | ast.ListComp):
        yield "PERF_CASES is no list."
