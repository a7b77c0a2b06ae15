"""Losses, and gated units with two operands."""

from __future__ import annotations

import re
from dataclasses import dataclass

from validation.pairs.recipes.blocks import NAMED, PREDICTIONS
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.maps import ROUNDED, chains, widening
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import ACTIVATIONS


@dataclass(frozen=True, slots=True)
class Loss:
    name: str
    phrase: str
    torch: str
    triton: tuple[str, ...]
    """Lines over `y` and `target`; the last one is an expression."""
    target: str = "normal"
    """Values of the target in a test."""


LOSSES = (
    Loss(
        "mse",
        "mean squared error",
        "F.mse_loss({y}, target{reduction})",
        ("error = y - target", "error * error"),
    ),
    Loss("l1", "L1 loss", "F.l1_loss({y}, target{reduction})", ("tl.abs(y - target)",)),
    Loss(
        "huber",
        "Huber loss with delta 1.5",
        "F.huber_loss({y}, target, delta=1.5{reduction})",
        (
            "error = tl.abs(y - target)",
            "tl.where(error < 1.5, 0.5 * error * error, 1.5 * (error - 0.75))",
        ),
    ),
    Loss(
        "smooth_l1",
        "smooth L1 loss",
        "F.smooth_l1_loss({y}, target{reduction})",
        ("error = tl.abs(y - target)", "tl.where(error < 1.0, 0.5 * error * error, error - 0.5)"),
    ),
    Loss(
        "bce_with_logits",
        "binary cross entropy of logits",
        "F.binary_cross_entropy_with_logits({y}, target{reduction})",
        ("fmax(y, 0.0) - y * target + flog1p(tl.exp(-tl.abs(y)))",),
        target="uniform",
    ),
    Loss(
        "hinge",
        "hinge loss",
        "torch.clamp(1.0 - {y} * target, min=0.0)",
        ("fmax(1.0 - y * target, 0.0)",),
    ),
    Loss(
        "squared_hinge",
        "squared hinge loss",
        "torch.clamp(1.0 - {y} * target, min=0.0).square()",
        ("margin = fmax(1.0 - y * target, 0.0)", "margin * margin"),
    ),
    Loss(
        "soft_margin",
        "soft margin loss",
        "F.softplus(-{y} * target)",
        ("margin = -y * target", "fmax(margin, 0.0) + flog1p(tl.exp(-tl.abs(margin)))"),
    ),
    Loss(
        "quantile",
        "quantile loss at 0.8",
        "torch.maximum(0.8 * (target - {y}), -0.2 * (target - {y}))",
        ("error = target - y", "fmax(0.8 * error, -0.2 * error)"),
    ),
    Loss(
        "charbonnier",
        "Charbonnier loss",
        "torch.sqrt(torch.square({y} - target) + 1e-2)",
        ("error = y - target", "tl.sqrt(error * error + 1e-2)"),
    ),
    Loss(
        "geman_mcclure",
        "Geman-McClure loss",
        "torch.square({y} - target) / (1.0 + torch.square({y} - target))",
        ("error = y - target", "error * error / (1.0 + error * error)"),
    ),
)
REDUCTIONS = {
    "mean": ("", ".mean()", "averaged over all elements"),
    "sum_atomic": (', reduction="sum"', ".sum()", "summed over all elements"),
    "rows": (', reduction="none"', ".mean(dim=-1)", "averaged over each row"),
}


WALKS = {"mean": ("looped",), "sum_atomic": ("atomic",), "rows": ("whole", "looped")}


def _reference(loss: Loss, chain: Chain, reduce: str) -> str:
    """Return the expression of the reduced loss."""
    argument, method, _ = REDUCTIONS[reduce]
    expression = loss.torch.format(y=chain.result, reduction=argument)
    if "{reduction}" not in loss.torch:
        return f"{_factor(expression)}{method}"
    return f"{expression}{method}" if reduce == "rows" else expression


def _loss(
    loss: Loss, chain: Chain, reduce: str, walk: str, block_size: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not chain.possible or walk not in WALKS[reduce]:
        return None
    if "float16" in dtypes and reduce != "mean":
        return None
    atomic = reduce == "sum_atomic"
    floats = ("x", *chain.floats, "target")
    narrow = dtypes != ("float32",)
    opening = (
        *(("dtype = x.dtype",) if narrow and not atomic else ()),
        *(widening(floats) if narrow else ()),
    )
    ending = ".to(dtype)" if narrow and not atomic else ""
    return Sketch(
        entry_point=named(loss.name, "loss", "rows" if reduce == "rows" else "", chain.name),
        summary=chain.sentence(f"compute the {loss.phrase}, {REDUCTIONS[reduce][2]}"),
        operation_type="loss",
        tags=("loss", loss.name.replace("_", "-"), *(("atomics",) if atomic else ())),
        triton="loss",
        python=(
            *opening,
            *chain.torch(),
            f"return {_reference(loss, chain, reduce)}{ending}",
        ),
        arguments=(
            Argument("x", ("rows", "cols")),
            *chain.arguments(("rows", "cols")),
            Argument("target", ("rows", "cols"), loss.target),
        ),
        sizes=(*ROW_SIZES[:3], {"rows": 3, "cols": 2 * block_size + 5}),
        tolerance=tolerances(dtypes, 3, 2e-4 if atomic else 2e-5),
        layouts=("contiguous", "strided", "transposed"),
    )


GATES = {
    "halves": ("the first half of each row", "the second half"),
    "interleaved": ("the even columns", "the odd columns"),
    "separate": ("x", "a gate"),
}


def _factor(expression: str) -> str:
    """Return the expression as a factor, in parentheses unless it is a call."""
    is_call = re.fullmatch(r"[\w.]+\((?:[^()]|\([^()]*\))*\)(?:\.square\(\))?", expression)
    return expression if is_call else f"({expression})"


def _gated(
    act: Operation, packing: str, chain: Chain, block_size: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not act.smooth and packing == "sum":
        return None
    if not all(one.smooth for one in chain.operations) or not chain.possible:
        return None
    value, gate = GATES[packing]
    split: tuple[str, ...] = ()
    if packing == "halves":
        split = ("x, gate = packed.chunk(2, dim=-1)",)
    elif packing == "interleaved":
        split = ("x, gate = packed[:, 0::2], packed[:, 1::2]",)
    *_, last = (f"x = x * {_factor(act.torch.format(x='gate'))}", *chain.torch())
    known = tolerances(dtypes, 3)
    function = act.phrase.removeprefix("apply ").removeprefix("the ")
    return Sketch(
        entry_point=named(act.name, "glu", packing, chain.suffix),
        summary=sentence_of(
            f"multiply {value} by the {function} of {gate}",
            *chain.phrases,
        ),
        operation_type="element-wise",
        tags=("gated", "glu", packing),
        triton="gated",
        python=(
            *split,
            *((f"x = x * {_factor(act.torch.format(x='gate'))}",) if chain.operations else ()),
            "return " + last.partition(" = ")[2],
        ),
        arguments=(
            (Argument("x", ("rows", "cols")), Argument("gate", ("rows", "cols")))
            if packing == "separate"
            else (Argument("packed", ("rows", "2 * cols")),)
        ),
        sizes=(*ROW_SIZES[:4], {"rows": 3, "cols": 2 * block_size + 5}),
        tolerance={name: ROUNDED.get(name, tolerance) for name, tolerance in known.items()},
        layouts=("contiguous", "strided", "transposed"),
        values={
            "factor": _factor(act.triton.format(x="gate")),
        },
    )  # fmt: skip


GATING = tuple(one for one in ACTIVATIONS if one.name not in ("log_sigmoid", "selu", "celu"))
SCALED = (
    Chain(()),
    *chains(tuple(NAMED[name] for name in ("clamp", "scale_by_2", "scale_scores"))),
)

LOSS_RECIPES = (
    Recipe(
        "loss",
        _loss,
        loss=LOSSES,
        chain=PREDICTIONS,
        reduce=("mean", "sum_atomic", "rows"),
        walk=("whole", "looped", "atomic"),
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
    ),
    Recipe(
        "gated-unit",
        _gated,
        act=GATING,
        packing=("halves", "interleaved", "separate"),
        chain=SCALED,
        block_size=(512, 1024),
        dtypes=DTYPES,
    ),
)
