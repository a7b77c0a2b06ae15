"""What training needs: losses, gates, optimiser steps, quantisation, dropout, rotary embedding."""

from __future__ import annotations

from dataclasses import dataclass

from validation.recipes.chains import Chain
from validation.recipes.maps import chains
from validation.recipes.operations import BINARY, UNARY, Operation
from validation.recipes.recipe import Recipe
from validation.recipes.reductions import ROW_SIZES
from validation.recipes.sketch import Argument, Sketch, tolerances

DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
NONE = Chain(())
ONE = (NONE, *chains(UNARY))
TWO = (*ONE, *chains(UNARY, UNARY))


def _name(*parts: str) -> str:
    return "_".join(filter(None, parts))


@dataclass(frozen=True, slots=True)
class Loss:
    name: str
    phrase: str
    torch: str
    triton: tuple[str, ...]
    """Of `y` and `target`, the last line without a name."""


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
            "fmax(y, 0.0) - y * probability + tl.log(1.0 + tl.exp(-tl.abs(y)))",
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
            "fmax(margin, 0.0) + tl.log(1.0 + tl.exp(-tl.abs(margin)))",
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
        entry_point=_name(loss.name, "loss", "rows" if reduce == "rows" else "", chain.name),
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
        entry_point=_name(operation.name, "glu", packing, after.name),
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


OPTIMISERS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = {
    "sgd": ("plain gradient descent", (), ("p = p - lr * g",), ("p = p - lr * g",)),
    "momentum": (
        "gradient descent with momentum 0.9",
        ("m",),
        ("m = 0.9 * m + g", "p = p - lr * m"),
        ("m = 0.9 * m + g", "p = p - lr * m"),
    ),
    "nesterov": (
        "Nesterov's momentum",
        ("m",),
        ("m = 0.9 * m + g", "p = p - lr * (g + 0.9 * m)"),
        ("m = 0.9 * m + g", "p = p - lr * (g + 0.9 * m)"),
    ),
    "adagrad": (
        "Adagrad",
        ("v",),
        ("v = v + g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-3)"),
        ("v = v + g * g", "p = p - lr * g / (tl.sqrt(v) + 1e-3)"),
    ),
    "rmsprop": (
        "RMSprop",
        ("v",),
        ("v = 0.99 * v + 0.01 * g * g", "p = p - lr * g / (torch.sqrt(v) + 1e-3)"),
        ("v = 0.99 * v + 0.01 * g * g", "p = p - lr * g / (tl.sqrt(v) + 1e-3)"),
    ),
    "adam": (
        "Adam at its first step",
        ("m", "v"),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = 0.999 * v + 0.001 * g * g",
            "p = p - lr * (m / 0.1) / (torch.sqrt(v / 0.001) + 1e-3)",
        ),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = 0.999 * v + 0.001 * g * g",
            "p = p - lr * (m / 0.1) / (tl.sqrt(v / 0.001) + 1e-3)",
        ),
    ),
    "adamax": (
        "Adamax",
        ("m", "v"),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = torch.maximum(0.999 * v, torch.abs(g))",
            "p = p - lr * m / (v + 1e-3)",
        ),
        (
            "m = 0.9 * m + 0.1 * g",
            "v = fmax(0.999 * v, tl.abs(g))",
            "p = p - lr * m / (v + 1e-3)",
        ),
    ),
    "smooth_lion": (
        "Lion with a soft sign",
        ("m",),
        (
            "update = 0.9 * m + 0.1 * g",
            "p = p - lr * update / (torch.abs(update) + 1e-2)",
            "m = 0.99 * m + 0.01 * g",
        ),
        (
            "update = 0.9 * m + 0.1 * g",
            "p = p - lr * update / (tl.abs(update) + 1e-2)",
            "m = 0.99 * m + 0.01 * g",
        ),
    ),
}
DECAYS = {
    "none": ("", "", ""),
    "coupled": (" with weight decay in the gradient", "g = g + 0.01 * p", "g = g + 0.01 * p"),
    "decoupled": (" with decoupled weight decay", "p = p * (1.0 - 0.01 * lr)", ""),
}
CLIPS = {
    "none": ("", "", ""),
    "value": (
        ", gradients clipped to [-1, 1]",
        "g = torch.clamp(g, -1.0, 1.0)",
        "g = fmin(fmax(g, -1.0), 1.0)",
    ),
    "soft": (
        ", gradients squashed by softsign",
        "g = g / (1.0 + torch.abs(g))",
        "g = g / (1.0 + tl.abs(g))",
    ),
}
PROJECTIONS = {
    "none": ("", "", ""),
    "positive": (", kept positive", "p = torch.clamp(p, min=0.0)", "p = fmax(p, 0.0)"),
    "shrink": (
        ", shrunk towards zero",
        "p = torch.sign(p) * torch.clamp(torch.abs(p) - 0.001, min=0.0)",
        "p = fmax(p - 0.001, 0.0) + fmin(p + 0.001, 0.0)",
    ),
}


def _optimiser(
    kind: str, decay: str, clip: str, project: str, loop: str, block: int
) -> Sketch | None:
    phrase, states, torch, triton = OPTIMISERS[kind]
    names = ("p", "g", *states)
    decayed = DECAYS[decay]
    outputs = ("p", *states)
    before = [CLIPS[clip][1], decayed[1]]
    before_triton = [CLIPS[clip][2], decayed[1]]
    after, after_triton = PROJECTIONS[project][1], PROJECTIONS[project][2]
    returned = ", ".join(outputs)
    return Sketch(
        entry_point=_name(kind, "step", *(w for w in (clip, decay, project) if w != "none")),
        summary=f"One step of {phrase}{decayed[0]}{CLIPS[clip][0]}{PROJECTIONS[project][0]}.",
        operation_type="optimizer",
        tags=("optimizer", kind.replace("_", "-")),
        triton="optimiser",
        python=(
            *filter(None, before),
            *torch,
            *filter(None, (after,)),
            f"return {returned}",
        ),
        arguments=(
            *(Argument(n, ("n",), "positive" if n == "v" else "normal") for n in names),
            Argument("lr", default="0.05"),
        ),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 6 * block + 13}),
        tolerance=tolerances(("float32",), 4),
        outputs=len(outputs) if len(outputs) > 1 else 1,
        values={
            "names": names,
            "states": states,
            "lines": (
                *filter(None, before_triton),
                *triton,
                *filter(None, (after_triton,)),
            ),
            "loop": loop,
            "block_size": block,
        },
    )


def _quantise(chain: Chain, scheme: str, walk: str) -> Sketch | None:
    """Rounding is a cliff, so what stands before it must be exact: one operation on float32."""
    if not chain.possible or any(op.name not in EXACT for op in chain.operations):
        return None
    lines = {
        "symmetric": (
            "scale = {y}.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) * (1.0 / 127.0)",
            "levels = torch.floor({y} / scale + 0.5).clamp(-127, 127)",
            "return levels.to(torch.int8), scale[:, 0]",
        ),
        "asymmetric": (
            "low = {y}.amin(dim=-1, keepdim=True)",
            "scale = ({y}.amax(dim=-1, keepdim=True) - low).clamp(min=1e-6) * (1.0 / 255.0)",
            "levels = torch.floor(({y} - low) / scale + 0.5).clamp(0, 255) - 128",
            "return levels.to(torch.int8), scale[:, 0], low[:, 0]",
        ),
        "four_bit": (
            "scale = {y}.abs().amax(dim=-1, keepdim=True).clamp(min=1e-6) * (1.0 / 7.0)",
            "levels = torch.floor({y} / scale + 0.5).clamp(-7, 7)",
            "return levels.to(torch.int8), scale[:, 0]",
        ),
    }[scheme]
    return Sketch(
        entry_point=_name("quantise", scheme, chain.name),
        summary=f"Each row to int8 with a scale of its own, {scheme.replace('_', ' ')}"
        + (f", after {chain.phrase}." if chain.operations else "."),
        operation_type="quantization",
        tags=("quantization", "int8", scheme.replace("_", "-")),
        triton="quantise",
        python=(*chain.torch(), *(line.format(y=chain.result) for line in lines)),
        arguments=tuple(Argument(n, ("rows", "cols")) for n in ("x", *chain.operands)),
        sizes=ROW_SIZES,
        # Exact: both sides round in the same way, and a level is a whole number.
        tolerance={"float32": (1e-6, 1e-6)},
        layouts=("contiguous", "strided", "transposed"),
        outputs=3 if scheme == "asymmetric" else 2,
        values={"chain": chain, "scheme": scheme, "walk": walk},
    )


EXACT = (
    "abs",
    "negate",
    "add",
    "subtract",
    "relu",
    "maximum",
    "minimum",
    "clamp",
    "relu6",
    "average",
)


def _dequantise(
    chain: Chain, granularity: str, zero: bool, group: int, walk: str, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not chain.possible or not all(op.smooth for op in chain.operations):
        return None
    if granularity != "group" and group != 32:
        return None
    scale = {
        "row": "scale[:, None]",
        "column": "scale",
        "group": f"scale.repeat_interleave({group}, dim=1)[:, : q.shape[1]]",
    }[granularity]
    shape = {
        "row": ("rows",),
        "column": ("cols",),
        "group": ("rows", f"(cols + {group - 1}) // {group}"),
    }[granularity]
    shifted = scale.replace("scale", "zero_point.float()")
    narrow = dtypes != ("float32",)
    minus = f" - {shifted}" if zero else ""
    widened = scale.replace("scale", "scale.float()") if narrow else scale
    return Sketch(
        entry_point=_name("dequantise", granularity, "shifted" if zero else "", chain.name),
        summary=f"From int8 with one scale a {granularity}"
        + (f" of {group}" if granularity == "group" else "")
        + (" and zero point" if zero else "")
        + (f", then {chain.phrase}." if chain.operations else "."),
        operation_type="quantization",
        tags=("quantization", "int8", f"per-{granularity}"),
        triton="dequantise",
        python=(
            f"x = q.float(){minus}",
            f"x = x * {widened}",
            *(f"{n} = {n}.float()" for n in chain.operands if narrow),
            *chain.torch(),
            f"return {chain.result}" + (".to(scale.dtype)" if narrow else ""),
        ),
        arguments=(
            Argument("q", ("rows", "cols"), "integers", "int8"),
            Argument("scale", shape, "positive"),
            *((Argument("zero_point", shape, "integers", "int8"),) if zero else ()),
            *(Argument(n, ("rows", "cols")) for n in chain.operands),
        ),
        sizes=ROW_SIZES[:4],
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 3, 1e-4),
        values={
            "chain": chain,
            "granularity": granularity,
            "zero": zero,
            "group": group,
            "walk": walk,
        },
    )


def _dropout(chain: Chain, kind: str, rounds: int, block: int) -> Sketch | None:
    if not chain.possible:
        return None
    constants = MIXERS[rounds]
    hashed = [
        "index = torch.arange(x.numel(), device=x.device).view(x.shape)",
        "h = (index * 747796405 + seed) & 0xFFFFFFFF",
    ]
    for shift, factor in constants:
        hashed += [f"h = ((h ^ (h >> {shift})) * {factor}) & 0xFFFFFFFF"]
    hashed += ["uniform = (h >> 8).to(torch.float32) / 16777216.0"]
    result = chain.result
    ending = {
        "dropout": f"return torch.where(uniform >= p, {result} / (1.0 - p), 0.0)",
        "noise": f"return {result} + p * (uniform - 0.5)",
        "scaled": f"return {result} * (1.0 + p * (2.0 * uniform - 1.0))",
        "flip": f"return torch.where(uniform >= p, {result}, -{result})",
    }[kind]
    phrase = {
        "dropout": "Dropout with a seed",
        "noise": "Seeded noise on top",
        "scaled": "Seeded random scaling",
        "flip": "Seeded random signs",
    }[kind]
    return Sketch(
        entry_point=_name(kind, "seeded", chain.name),
        summary=f"{phrase}, by a hash of the position"
        + (f", of the results of: {chain.phrase}." if chain.operations else "."),
        operation_type="random",
        tags=("random", "seeded", kind),
        triton="random",
        python=(*chain.torch(), *hashed, ending),
        arguments=(
            *(Argument(n, ("n",)) for n in ("x", *chain.operands)),
            Argument("p", default="0.25"),
            Argument("seed", default="1234"),
        ),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5 * block + 13}),
        tolerance=tolerances(("float32",), 2),
        values={"chain": chain, "kind": kind, "constants": constants, "block_size": block},
    )


# Multipliers and shifts of an integer hash with good avalanche.
MIXERS = {
    2: ((16, 2146121005), (15, 2221713035)),
    3: ((17, 3982152891), (11, 2890668881), (15, 830770091)),
}


WIDENED = ("dtype = x.dtype", "x, cos, sin = x.float(), cos.float(), sin.float()")


def _rotary(
    style: str, order: str, after: Chain, block: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not all(op.smooth for op in after.operations) or not after.possible:
        return None
    split = (
        "first, second = x.chunk(2, dim=-1)"
        if style == "halves"
        else "first, second = x[..., 0::2], x[..., 1::2]"
    )
    sign = "-" if order == "forward" else "+"
    other = "+" if order == "forward" else "-"
    join = (
        "x = torch.cat([left, right], dim=-1)"
        if style == "halves"
        else "x = torch.stack([left, right], dim=-1).flatten(-2)"
    )
    narrow = dtypes != ("float32",)
    return Sketch(
        entry_point=_name("rotary", style, order, after.name),
        summary=f"Rotate pairs of features by their position, {order}, {style} paired"
        + (f", then {after.phrase}." if after.operations else "."),
        operation_type="other",
        tags=("rotary-embedding", "positional"),
        triton="rotary",
        python=(
            *(WIDENED if narrow else ()),
            split,
            f"left = first * cos {sign} second * sin",
            f"right = second * cos {other} first * sin",
            join,
            *after.torch(),
            f"return {after.result}" + (".to(dtype)" if narrow else ""),
        ),
        arguments=(
            Argument("x", ("tokens", "2 * half")),
            Argument("cos", ("tokens", "half"), "uniform"),
            Argument("sin", ("tokens", "half"), "uniform"),
        ),
        sizes=(
            {"tokens": 1, "half": 1},
            {"tokens": 13, "half": 31},
            {"tokens": 50, "half": 20},
            {"tokens": 7, "half": 130},
        ),
        dtypes=dtypes,
        tolerance=tolerances(dtypes, 3),
        values={
            "style": style,
            "chain": after,
            "sign": sign,
            "other_sign": other,
            "block_size": block,
        },
    )  # fmt: skip


TRAINING_RECIPES = (
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
    Recipe(
        "optimiser-step",
        _optimiser,
        {
            "kind": tuple(OPTIMISERS),
            "decay": tuple(DECAYS),
            "clip": tuple(CLIPS),
            "project": tuple(PROJECTIONS),
            "loop": ("none", "grid_stride"),
            "block": (128, 256, 512),
        },
    ),
    Recipe(
        "quantise",
        _quantise,
        {
            "chain": (*ONE, *chains(BINARY), *chains(BINARY, UNARY)),
            "scheme": ("symmetric", "asymmetric", "four_bit"),
            "walk": ("whole", "looped", "tile"),
        },
    ),
    Recipe(
        "dequantise",
        _dequantise,
        {
            "chain": (*TWO, *chains(BINARY)),
            "granularity": ("row", "column", "group"),
            "zero": (False, True),
            "group": (32, 16, 64),
            "walk": ("tile", "flat"),
            "dtypes": DTYPES,
        },
    ),
    Recipe(
        "seeded-random",
        _dropout,
        {
            "chain": (*TWO, *chains(BINARY)),
            "kind": ("dropout", "noise", "scaled", "flip"),
            "rounds": (2, 3),
            "block": (128, 256, 512),
        },
    ),
    Recipe(
        "rotary",
        _rotary,
        {
            "style": ("halves", "interleaved"),
            "order": ("forward", "inverse"),
            "after": ONE,
            "block": (16, 32, 64),
            "dtypes": DTYPES,
        },
    ),
)
