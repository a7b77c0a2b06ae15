"""Kernels for tests, made here: unrelated ones by the hundred, and disguises of one."""

from __future__ import annotations

import ast
import random
import re

SOFTMAX = '''
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(out_ptr, in_ptr, row_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    """A numerically careful softmax."""
    start = tl.program_id(0)
    step = tl.num_programs(0)
    for row in tl.range(start, n_rows, step):
        base = in_ptr + row * row_stride
        offsets = tl.arange(0, BLOCK)
        mask = offsets < n_cols
        values = tl.load(base + offsets, mask=mask, other=-1e30)  # padded
        shifted = values - tl.max(values, axis=0)
        numerator = tl.exp(shifted)
        denominator = tl.sum(numerator, axis=0)
        result = numerator / denominator
        tl.store(out_ptr + row * row_stride + offsets, result, mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    softmax_kernel[(n_rows,)](out, x, x.stride(0), n_rows, n_cols, BLOCK=1024)
    return out
'''


KEPT = frozenset({"tl", "triton", "torch", "range"})


def renamed(text: str, suffix: str = "_renamed") -> str:
    """Every name of its own, also where a keyword argument says it."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in KEPT:
            node.id += suffix
        elif isinstance(node, ast.arg):
            node.arg += suffix
        elif isinstance(node, ast.FunctionDef):
            node.name += suffix
        elif isinstance(node, ast.keyword) and node.arg == "BLOCK":
            node.arg += suffix
    return ast.unparse(tree)


def reformatted(text: str) -> str:
    """Comments gone, lines joined or broken, quotes and numbers spelt otherwise."""
    lines = ast.unparse(ast.parse(text)).splitlines()
    return "\n\n".join(line.replace("    ", "\t").replace(", ", ",\t") for line in lines)


def with_other_constants(text: str) -> str:
    return re.sub(r"(?<![\w.])\d+(?![\w.])", lambda found: str(int(found[0]) + 1), text)


OPERATIONS = ("exp", "log", "sqrt", "rsqrt", "sin", "cos", "abs", "floor", "sigmoid", "erf", "exp2")
REDUCTIONS = ("sum", "max", "min", "argmax", "argmin", "xor_sum")


def unrelated(seed: int) -> str:
    """A kernel of random steps: the usual frame around what is its own."""
    choose = random.Random(seed)  # noqa: S311
    inputs = [f"p{n}" for n in range(choose.randint(1, 4))]
    body = ["    pid = tl.program_id(0)", "    at = pid * BLOCK + tl.arange(0, BLOCK)"]
    known = []
    for name in inputs:
        body.append(f"    v_{name} = tl.load({name} + at * {choose.randint(1, 9)}, mask=at < n)")
        known.append(f"v_{name}")
    for step in range(choose.randint(8, 25)):
        left, right = choose.choice(known), choose.choice(known)
        operation, sign = choose.choice(OPERATIONS), choose.choice("+-*/")
        expression = choose.choice(
            [
                f"tl.{operation}({left}) {sign} {right}",
                f"{left} {sign} {right} * {choose.randint(2, 99)}.5",
                f"tl.where({left} > {right}, {left}, tl.{operation}({right}))",
                f"tl.maximum({left}, {right}) {sign} tl.{operation}({left})",
                f"{left} {sign} tl.{choose.choice(REDUCTIONS)}({right}, axis=0)",
            ]
        )
        if choose.random() < 0.2:
            body.append(f"    for i{step} in range({choose.randint(2, 50)}):")
            body.append("    " + f"    s{step} = {expression}")
        else:
            body.append(f"    s{step} = {expression}")
        known.append(f"s{step}")
    body.append(f"    tl.store(out + at, {known[-1]}, mask=at < n)")
    parameters = ", ".join([*inputs, "out", "n", "BLOCK: tl.constexpr"])
    head = ["import triton", "import triton.language as tl", "", "@triton.jit"]
    return "\n".join([*head, f"def kernel_{seed}({parameters}):", *body, ""])
