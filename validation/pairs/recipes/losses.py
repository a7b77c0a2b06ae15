"""Losses, and gated units of two operands."""

from __future__ import annotations

from dataclasses import dataclass

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.choices import DTYPES, ONE, named
from validation.pairs.recipes.maps import chains
from validation.pairs.recipes.operation import Operation
from validation.pairs.recipes.operations import BINARY
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.reductions import ROW_SIZES
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances
from validation.pairs.recipes.unary import UNARY, grew


@dataclass(frozen=True, slots=True)
class Loss:
    name: str
    phrase: str
    torch: str
    triton: tuple[str, ...]
    """Lines over `y` and `target`; the last one is an expression."""


LOSSES = (
    Loss(
        "mse", "squared error", "torch.square(y - target)", ("error = y - target", "error * error")
    ),
    Loss("l1", "absolute error", "torch.abs(y - target)", ("tl.abs(y - target)",)),
    Loss(
        "huber",
        "Huber loss with delta 1.5",
        "F.huber_loss(y, target, reduction='none', delta=1.5)",
        (
            "error = tl.abs(y - target)",
            "tl.where(error < 1.5, 0.5 * error * error, 1.5 * (error - 0.75))",
        ),
    ),
    Loss(
        "bce_with_logits",
        "binary cross entropy against the sigmoid of the target",
        "F.binary_cross_entropy_with_logits(y, torch.sigmoid(target), reduction='none')",
        (
            "probability = tl.sigmoid(target)",
            *grew("y"),
            "fmax(y, 0.0) - y * probability + grew",
        ),
    ),
    Loss(
        "hinge",
        "hinge loss",
        "torch.clamp(1.0 - y * target, min=0.0)",
        ("fmax(1.0 - y * target, 0.0)",),
    ),
    Loss(
        "squared_hinge",
        "squared hinge loss",
        "torch.clamp(1.0 - y * target, min=0.0).square()",
        ("margin = fmax(1.0 - y * target, 0.0)", "margin * margin"),
    ),
    Loss(
        "soft_margin",
        "soft margin loss",
        "F.softplus(-y * target)",
        (
            "margin = -y * target",
            *grew("margin"),
            "fmax(margin, 0.0) + grew",
        ),
    ),
    Loss(
        "quantile",
        "quantile loss at 0.8",
        "torch.maximum(0.8 * (target - y), -0.2 * (target - y))",
        ("error = target - y", "fmax(0.8 * error, -0.2 * error)"),
    ),
    Loss(
        "charbonnier",
        "Charbonnier loss",
        "torch.sqrt(torch.square(y - target) + 1e-2)",
        ("error = y - target", "tl.sqrt(error * error + 1e-2)"),
    ),
    Loss(
        "geman_mcclure",
        "Geman-McClure loss",
        "torch.square(y - target) / (1.0 + torch.square(y - target))",
        ("squared = (y - target) * (y - target)", "squared / (1.0 + squared)"),
    ),
)


def _loss(
    loss: Loss, chain: Chain, reduce: str, walk: str, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not chain.possible or (walk == "atomic") != (reduce == "sum_atomic"):
        return None
    if "float16" in dtypes and reduce != "mean":
        return None
    names = ("x", *chain.operands, "target")
    atomic = reduce == "sum_atomic"
    ending = {
        "mean": "return loss.mean()",
        "sum_atomic": "return loss.sum()",
        "rows": "return loss.mean(dim=-1)",
    }[reduce]
    narrow = dtypes != ("float32",)
    opening = (
        *(("dtype = x.dtype",) if narrow and not atomic else ()),
        *((f"{', '.join(names)} = {', '.join(f'{n}.float()' for n in names)}",) if narrow else ()),
    )
    ending += ".to(dtype)" if narrow and not atomic else ""
    over = {"mean": "averaged", "sum_atomic": "added up", "rows": "averaged along each row"}[reduce]
    of = f" of the results of: {chain.phrase}" if chain.operations else ""
    return Sketch(
        entry_point=named(loss.name, "loss", "rows" if reduce == "rows" else "", chain.name),
        summary=f"The {loss.phrase}, {over},{of or ' of a prediction'}.",
        operation_type="loss",
        tags=("loss", loss.name.replace("_", "-"), *(("atomics",) if atomic else ())),
        triton="loss",
        python=(
            *opening,
            *chain.torch(),
            *(() if chain.operations else ("y = x",)),
            f"loss = {loss.torch}",
            ending,
        ),
        arguments=tuple(Argument(name, ("rows", "cols")) for name in names),
        sizes=(*ROW_SIZES[:3], {"rows": 3, "cols": 2 * block + 5}),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 3, 2e-4 if atomic else 2e-5),
        layouts=("contiguous", "strided", "transposed"),
        values={"chain": chain, "loss": loss, "reduce": reduce, "walk": walk, "block_size": block},
    )


def _gated(
    operation: Operation, packing: str, after: Chain, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not operation.smooth and packing == "sum":
        return None
    if not all(one.smooth for one in after.operations) or not after.possible:
        return None
    act = operation.torch
    split: tuple[str, ...] = ()
    if packing == "halves":
        split = ("x, gate = packed.chunk(2, dim=-1)",)
    elif packing == "interleaved":
        split = ("x, gate = packed[:, 0::2], packed[:, 1::2]",)
    names = ("x", "gate") if packing == "separate" else ("packed",)
    narrow = dtypes != ("float32",)
    widen = tuple(f"{n} = {n}.float()" for n in names) if narrow else ()
    return Sketch(
        entry_point=named(operation.name, "glu", packing, after.name),
        summary=f"A gated linear unit: one half times this of the other: {operation.phrase}"
        + (f", then {after.phrase}." if after.operations else "."),
        operation_type="element-wise",
        tags=("gated", "glu", packing),
        triton="gated",
        python=(
            *((f"dtype = {names[0]}.dtype", *widen) if narrow else ()),
            *split,
            f"x = x * ({act.format(x='gate')})",
            *after.torch(),
            f"return {after.result}" + (".to(dtype)" if narrow else ""),
        ),
        arguments=(
            (Argument("x", ("rows", "cols")), Argument("gate", ("rows", "cols")))
            if packing == "separate"
            else (Argument("packed", ("rows", "2 * cols")),)
        ),
        sizes=ROW_SIZES[:4],
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 3),
        layouts=("contiguous", "strided", "transposed"),
        values={"act": operation, "packing": packing, "chain": after, "block_size": block},
    )  # fmt: skip


LOSS_RECIPES = (
    Recipe(
        "loss",
        _loss,
        {
            "loss": LOSSES,
            "chain": (*ONE, *chains(BINARY)),
            "reduce": ("mean", "sum_atomic", "rows"),
            "walk": ("two_pass", "atomic", "looped"),
            "block": (128, 256, 512),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "gated-unit",
        _gated,
        {
            "operation": UNARY,
            "packing": ("halves", "interleaved", "separate"),
            "after": ONE,
            "block": (64, 128, 256),
            "dtypes": DTYPES,
        },
    ),
)
