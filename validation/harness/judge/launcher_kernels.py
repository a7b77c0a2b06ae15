"""Kernels of a launcher: their launches, torch's share of the work, and check 10 (compiling)."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from validation.harness.judge.kernel_values import only_moves, parsed
from validation.harness.judge.replay_evidence import JudgedReplay
from validation.harness.report import Check, Verdict

# Names for a launcher's work outside of kernels that has no name of a torch operation.
HOST_NUMBER = "a number that it reads"
REARRANGES = "a copy into another layout"


def launched_by_name(triton_code: str) -> frozenset[str]:
    """Return the kernels that the text launches: `kernel[grid](...)`."""
    tree = parsed(triton_code)
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


def is_rearranged(text: str, runs: Sequence[JudgedReplay]) -> bool:
    """Return whether torch does the kernels' work: the kernels only move elements, and torch
    reorders elements in each run whose answer has an order to change."""
    launching = [run for run in runs if run.count("launches") and _has_order(run)]
    return bool(launching) and all(
        run.details.get("rearranged")
        and all(only_moves(text, name) for name in run.count("launches"))
        for run in launching
    )


def _has_order(run: JudgedReplay) -> bool:
    """Return whether an answer has two or more axes with several elements."""
    shapes = [tensor.shape for tensor in run.value.tensors()] if run.value else []
    return any(sum(size > 1 for size in shape) > 1 for shape in shapes)


def torch_share(text: str, runs: Sequence[JudgedReplay], computed: Mapping[str, int]) -> float:
    """Return torch's share of the bytes that torch and kernels access.

    Kernels that only move elements are not counted: copies would hide torch's share. For each data
    type, only the trial that accesses the most bytes counts: fixed costs matter least there. The
    largest share of all data types is returned, or 1 if the launcher computes a number on the host.
    """
    if HOST_NUMBER in computed:
        return 1.0
    largest: dict[str, tuple[int, float]] = {}
    for run in runs:
        touched = run.count("bytes")
        torch = touched.pop("", 0)
        kernels = sum(n for name, n in touched.items() if not torch or not only_moves(text, name))
        if REARRANGES in computed:
            torch += int(run.details.get("rearranged", 0))
        whole = torch + kernels
        dtype = str(run.trial.case.get("dtype"))
        largest[dtype] = max(largest.get(dtype, (0, 0.0)), (whole, torch / max(1, whole)))
    return round(max((share for _, share in largest.values()), default=0.0), 3)


def compiles(header: Any) -> Check:
    """Return check 10, in the interpreter: Triton compiles the kernels with their recorded types.

    An error that may not be the kernel's fault fails no entry.
    """
    numbers: dict[str, Any] = {
        "compiled": int(header["done"]), "left_out": int(header["left_out"]),
        "unclear": [str(words)[:300] for words in header["unclear"]],
    }  # fmt: skip
    refused: dict[str, Any] = dict(header["refused"])
    for name, about in refused.items():
        place = f" (line {int(about['line'])})" if about["line"] is not None else ""
        words = f"Triton can't compile {name}: {str(about['reason'])[:300]}{place}"
        return Check("compiles", Verdict.FAILED, words, numbers)
    if not numbers["compiled"] or numbers["unclear"]:
        words = f"not tried: {(numbers['unclear'] or ['no launch was recorded'])[0]}"
        return Check("compiles", None, words, numbers)
    words = f"Triton compiles {numbers['compiled']} kinds of launches"
    if numbers["left_out"]:
        words += f"; {numbers['left_out']} others are not tried"
    return Check("compiles", Verdict.PASSED, words, numbers)
