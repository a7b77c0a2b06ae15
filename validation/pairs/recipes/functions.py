"""Functions and conditions that the entries of the tables call."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from validation.pairs.recipes import (
    blocks,
    conditions,
    optimizers,
    packed_weights,
    reduction_table,
)
from validation.pairs.recipes.blocks import NAMED
from validation.pairs.recipes.chains import Chain, arguments_of
from validation.pairs.recipes.operation import Operand
from validation.pairs.recipes.reduction_table import NORMS, Norm, Reduction
from validation.pairs.recipes.sketch import Tolerance, tolerances

ROUNDED = {"float16": (4e-3, 4e-3), "bfloat16": (2e-2, 2e-2)}
"""Tolerances for a reference that rounds the result of each operation, by dtype."""
ROUNDINGS = 2
"""Maximum operations of a reference that rounds each of them. With more, it computes in float32."""
MODEL_SIZES = {
    # Tokens times the hidden size, as in Llama.
    "n": "16777216, 90177536",
    "rows cols": "4096 4096, 8192 11008",
    "batch seq hidden": "8 2048 4096",
    "m n k": "4096 4096 4096, 2048 11008 4096",
    "batch m n k": "32 1024 1024 128",
    "m n": "4096 4096, 11008 4096",
    "entries count width": "32000 8192 4096",
    "segments width": "2048 1024",
    "channels length": "4096 4096",
    "tokens half": "131072 64",
}


def model_sizes(names: tuple[str, ...]) -> str:
    """Return sizes of large language and vision models, or "" if the names are unknown."""
    key = " ".join(names)
    return f"{key}: {MODEL_SIZES[key]}" if key in MODEL_SIZES else ""


def afterward(bias: bool, activation: Chain) -> str:
    """Return the end of a summary. It names the steps that follow a product."""
    return listed({"add a bias": bias, activation.steps: activation.steps}, ", then ")


def applied(activation: Chain, value: str) -> str:
    """Return PyTorch's expression for an activation of a value, or the value if there is none."""
    return value if not activation.operations else activation.operations[0].torch.format(x=value)


def listed(words: Mapping[str, object], opening: str = "") -> str:
    """Return “opening a, b and c” of the words whose condition holds, or "" if none does."""
    kept = [word for word, condition in words.items() if condition]
    if not kept:
        return ""
    return opening + " and ".join(filter(None, (", ".join(kept[:-1]), kept[-1])))


def class_name(name: str) -> str:
    """Return the name of an autograd function. It has the capitals of the activation's name."""
    known = {"silu": "SiLU", "gelu": "GELU", "relu": "ReLU", "swiglu": "SwiGLU", "geglu": "GeGLU",
             "reglu": "ReGLU", "glu": "GLU"}  # fmt: skip
    return "".join(known.get(part, part.title()) for part in name.split("_"))


def widening(names: tuple[str, ...]) -> str:
    """Return lines that convert these tensors to float32, with at most three in each line."""
    return "\n".join(
        f"{', '.join(some)} = {', '.join(f'{name}.float()' for name in some)}"
        for some in (names[start : start + 3] for start in range(0, len(names), 3))
    )


def is_widened(chain: Chain, dtypes: tuple[str, ...]) -> bool:
    """Return whether the reference computes the chain in float32 and rounds once at the end."""
    return dtypes != ("float32",) and len(chain.operations) > ROUNDINGS


def in_float32(
    names: tuple[str, ...], lines: tuple[str, ...], result: str = "y", more: tuple[str, ...] = ()
) -> str:
    """Return lines that convert these tensors to float32 and the result to its original dtype.

    more: additional results, which are not converted back.
    """
    last = ", ".join((f"{result}.to(dtype)", *more))
    return "\n".join((f"dtype = {names[0]}.dtype", widening(names), *lines, f"return {last}"))


def returned(lines: tuple[str, ...]) -> str:
    """Return the lines, with a return statement in place of the last assignment."""
    return "\n".join((*lines[:-1], f"return {lines[-1].partition(' = ')[2]}"))


def of_chain(chain: Chain, dtypes: tuple[str, ...], views: Mapping[str, str] | None = None) -> str:
    """Return the PyTorch lines of a chain."""
    lines = chain.torch(views=views)
    if is_widened(chain, dtypes):
        return in_float32(("x", *chain.floats), lines)
    return returned(lines)


def moved(expression: str, chain: Chain, dtypes: tuple[str, ...]) -> str:
    """Return PyTorch's lines for a movement that produces `x`, and for a chain after it."""
    if not chain.operations:
        return f"return {expression}"
    return f"x = {expression}\n{of_chain(chain, dtypes)}"


def rounded(known: Mapping[str, Tolerance]) -> dict[str, Tolerance]:
    return {name: ROUNDED.get(name, tolerance) for name, tolerance in known.items()}


def of_steps(chain: Chain, dtypes: tuple[str, ...]) -> dict[str, Tolerance]:
    """Return the tolerance of a chain. It is larger for each rounding to a narrow dtype."""
    known = tolerances(dtypes, len(chain.operations))
    return known if is_widened(chain, dtypes) else rounded(known)


def of_reduced(chain: Chain, dtypes: tuple[str, ...], absolute: float) -> dict[str, Tolerance]:
    known = tolerances(dtypes, 1 + len(chain.operations), absolute)
    return known | {k: v for k, v in of_steps(chain, dtypes).items() if k != "float32"}


def of_product(dtypes: tuple[str, ...]) -> dict[str, Tolerance]:
    # The reference rounds after the product and after each operation that follows.
    narrow = {"float16": (1e-2, 1e-2), "bfloat16": (3e-2, 3e-2)}
    return tolerances(dtypes, 2, 1e-4) | narrow


def mapped(chain: Chain, outer: bool) -> tuple[Operand, ...]:
    """Return a chain's operands. If `outer`, they are a column and rows instead of matrices."""
    first = Operand("x", "column" if outer else "full", chain.draw)
    return (first, *(replace(o, kind="row") if outer else o for o in chain.further))


def columns(operands: tuple[Operand, ...]) -> dict[str, str]:
    return {o.name: f"{o.name}[:, None]" for o in operands if o.kind == "column"}


def reduced(
    chain: Chain, reduction: Reduction, dim: str, dtypes: tuple[str, ...], atomic: bool = False
) -> str:
    """Return PyTorch's lines for a reduction. Atomics add in float32 and return float32."""
    result = reduction.torch.format(y=chain.result, dim=dim).replace(", )", ")")
    if is_widened(chain, dtypes) or _cancels(chain, reduction, dtypes):
        if atomic:
            return "\n".join((widening(("x", *chain.floats)), *chain.torch(), f"return {result}"))
        return in_float32(("x", *chain.floats), chain.torch(), result)
    if atomic and dtypes != ("float32",):
        result = result.replace(chain.result, f"{chain.result}.float()", 1)
    return "\n".join((*chain.torch(), f"return {result}"))


def _cancels(chain: Chain, reduction: Reduction, dtypes: tuple[str, ...]) -> bool:
    """Return whether values of both signs cancel each other in a sum.

    Their rounding errors in a narrow dtype do not cancel, so the reference then uses float32.
    """
    is_rounded = dtypes != ("float32",) and bool(chain.operations)
    return is_rounded and reduction.name == "sum"


def norm_of(kind: str) -> Norm:
    """Return the normalization for a kind of kernel, such as “layer_welford”."""
    return next(norm for norm in NORMS if norm.name.startswith(kind.partition("_")[0]))


def normalized(chain: Chain, norm: Norm, vectors: tuple[str, ...], after: Chain, wide: bool) -> str:
    """Return PyTorch's lines for a normalization, with one chain before it and one after it."""
    affine = "".join(f", {name}" for name in vectors)
    lines = (
        *chain.torch(),
        *(line.format(y=chain.result, affine=affine) for line in norm.torch),
        *after.torch("y"),
    )
    return in_float32(("x", *chain.floats, *vectors), lines) if wide else returned(lines)


def reduced_loss(loss: Any, chain: Chain, reduce: Any) -> str:
    """Return PyTorch's expression for the reduced loss."""
    expression = loss.torch.format(y=chain.result, reduction=reduce.option)
    if "{reduction}" not in loss.torch:
        return f"{factor(expression)}{reduce.method}"
    return f"{expression}{reduce.method}" if reduce == "rows" else expression


def factor(expression: str) -> str:
    """Return an expression that can be a factor: in parentheses, unless it is a call."""
    is_call = re.fullmatch(r"[\w.]+\((?:[^()]|\([^()]*\))*\)(?:\.square\(\))?", expression)
    return expression if is_call else f"({expression})"


def product(layout: str, chain: Chain) -> str:
    """Return PyTorch's lines for a product, in the dtype of its inputs, and a chain after it."""
    operations = chain.operations
    line = f"x = {'a' if layout[0] == 'n' else 'a.T'} @ {'b' if layout[1] == 'n' else 'b.T'}"
    if layout == "nt":
        is_biased = operations[:1] == (NAMED["add_bias"],)
        line = f"x = F.linear(a, b{', bias' * is_biased})"
        operations = operations[is_biased:]
    return of_result(line, Chain(operations))


def of_result(line: str, chain: Chain) -> str:
    """Return a line that assigns `x`, and a chain after it. The last line returns the result."""
    views = {"token_weight": "token_weight[:, None]"}
    return returned((line, *chain.torch(views=views)))


FUNCTIONS: Mapping[str, Any] = {
    **vars(blocks),
    **vars(conditions),
    **vars(optimizers),
    **vars(packed_weights),
    **vars(reduction_table),
    **globals(),
    "arguments_of": arguments_of,
    # Entries use the name of a value for the function that computes the value.
    "factor_of": factor,
}
"""Names that the tables may use in texts, in conditions, and as values of an axis."""
