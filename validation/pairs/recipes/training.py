"""Other operations of training: seeded dropout and noise, rotary embedding."""

from __future__ import annotations

from validation.pairs.recipes.blocks import ACTIVATIONS_AND_SUMS, NAMED
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.maps import in_float32
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


def _dropout(
    chain: Chain, kind: str, generator: str, block_size: int, dtypes: tuple[str, ...]
) -> Sketch | None:
    if not chain.possible:
        return None
    result = chain.result
    random = {
        "dropout": f"torch.where(uniform >= p, {result} / (1.0 - p), 0.0)",
        "noise": f"{result} + p * (uniform - 0.5)",
        "scaled": f"{result} * (1.0 + p * (2.0 * uniform - 1.0))",
        "flip": f"torch.where(uniform >= p, {result}, -{result})",
    }[kind]
    lines = (*chain.torch(), *UNIFORM[generator])
    phrase = {
        "dropout": "apply dropout with",
        "noise": "add uniform noise with",
        "scaled": "multiply by 1 + p (2u - 1), where each u in [0, 1) comes from",
        "flip": "flip the sign of random elements, chosen by",
    }[kind]
    source = {
        "philox": "Philox random numbers from a seed",
        "hash": "a hash of the index and a seed",
    }[generator]
    return Sketch(
        entry_point=named(kind, "seeded", chain.name),
        summary=chain.sentence(f"{phrase} {source}"),
        operation_type="random",
        tags=("random", "seeded", kind),
        triton="random",
        python=(
            in_float32(("x", *chain.floats), (*lines, f"y = {random}"))
            if dtypes != ("float32",)
            else (*lines, f"return {random}")
        ),
        arguments=(
            Argument("x", ("n",), chain.draw),
            *chain.arguments(("n",)),
            Argument("p", default="0.25"),
            Argument("seed", default="1234"),
        ),
        sizes=({"n": 1}, {"n": 127}, {"n": 1000}, {"n": 5 * block_size + 13}),
        tolerance=tolerances(dtypes, 2),
    )


# PyTorch's lines that compute a number in [0, 1) from each index.
UNIFORM = {
    "philox": (
        "mask = 0xFFFFFFFF",
        "c0 = torch.arange(x.numel(), device=x.device).view(x.shape)",
        "c1 = c2 = c3 = torch.zeros_like(c0)",
        "k0, k1 = seed & mask, seed >> 32 & mask",
        "# Ten rounds. A product may exceed 64 bits, but its bits up to 63 are right.",
        "for _ in range(10):",
        "    a, b = c0 * 0xD2511F53, c2 * 0xCD9E8D57",
        "    c0, c1 = (b >> 32 & mask) ^ c1 ^ k0, b & mask",
        "    c2, c3 = (a >> 32 & mask) ^ c3 ^ k1, a & mask",
        "    k0, k1 = k0 + 0x9E3779B9 & mask, k1 + 0xBB67AE85 & mask",
        "# 31 bits become a number in [0, 1).",
        "uniform = torch.where(c0 < 2**31, c0, mask - c0).float() * 4.6566127342e-10",
    ),
    "hash": (
        "index = torch.arange(x.numel(), device=x.device).view(x.shape)",
        "h = (index * 747796405 + seed) & 0xFFFFFFFF",
        "h = ((h ^ (h >> 16)) * 2146121005) & 0xFFFFFFFF",
        "h = ((h ^ (h >> 15)) * 2221713035) & 0xFFFFFFFF",
        "uniform = (h >> 8).to(torch.float32) / 16777216.0",
    ),
}


WIDENED = ("dtype = x.dtype", "x, cos, sin = x.float(), cos.float(), sin.float()")


INVERSE = {"forward": "", "inverse": "the inverse of "}


def _rotary(
    pairing: str, order: str, chain: Chain, dtypes: tuple[str, ...], **_: object
) -> Sketch | None:
    if not all(op.smooth for op in chain.operations) or not chain.possible:
        return None
    split = (
        "first, second = x.chunk(2, dim=-1)"
        if pairing == "halves"
        else "first, second = x[..., 0::2], x[..., 1::2]"
    )
    sign = "-" if order == "forward" else "+"
    other = "+" if order == "forward" else "-"
    join = (
        "x = torch.cat([left, right], dim=-1)"
        if pairing == "halves"
        else "x = torch.stack([left, right], dim=-1).flatten(-2)"
    )
    narrow = dtypes != ("float32",)
    return Sketch(
        entry_point=named("rotary", pairing, order, chain.suffix),
        summary=sentence_of(
            f"apply {INVERSE[order]}rotary position embedding to "
            f"{'the two halves' if pairing == 'halves' else 'interleaved pairs'} of the features",
            *chain.phrases,
        ),
        operation_type="other",
        tags=("rotary-embedding", "positional"),
        triton="rotary",
        python=(
            *(WIDENED if narrow else ()),
            split,
            f"left = first * cos {sign} second * sin",
            f"right = second * cos {other} first * sin",
            join,
            *chain.torch(),
            f"return {chain.result}" + (".to(dtype)" if narrow else ""),
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
        tolerance=tolerances(dtypes, 3),
        values={
            "sign": sign,
            "other_sign": other,
        },
    )  # fmt: skip


# Queries may be scaled by 1 / sqrt(head_dim) in the same kernel.
SCALED = (Chain(()), *(Chain((NAMED[f"scale_scores{end}"],)) for end in ("", "_128")))

TRAINING_RECIPES = (
    Recipe(
        "seeded-random",
        _dropout,
        chain=ACTIVATIONS_AND_SUMS,
        kind=("dropout", "noise", "scaled", "flip"),
        generator=("philox", "hash"),
        block_size=(512, 1024, 2048),
        dtypes=DTYPES,
    ),
    Recipe(
        "rotary",
        _rotary,
        pairing=("halves", "interleaved"),
        order=("forward", "inverse"),
        chain=SCALED,
        block_m=(4, 8, 16),
        dtypes=DTYPES,
    ),
)
