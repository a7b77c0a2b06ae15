"""Ladders of attention: scores in memory, online softmax, skipped blocks, autotuned blocks."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.sketch import Argument, Sketch

WINDOW, CAP = 64, 30.0
# Kind of mask, whether scores are capped, and sizes: batch, heads, positions and dimensions.
ATTENTIONS: tuple[tuple[str, bool, tuple[int, int, int, int]], ...] = (
    ("full", False, (8, 16, 1024, 64)),
    ("causal", False, (2, 16, 2048, 128)),
    ("window", False, (2, 16, 4096, 64)),
    ("causal", True, (4, 8, 2048, 64)),
)
SCORES_IN_MEMORY = Rung(
    "scores in memory",
    "Three kernels: all scores go to memory, then their softmax, then the product with the values.",
    ("naive", "unfused"),
)
ONLINE = Rung(
    "online",
    "One kernel with an online softmax, so that the quadratic matrix of scores never reaches "
    "memory.",
    ("fused", "online"),
)
SKIPPED = Rung(
    "blocks skipped",
    "Blocks of keys that no query of the program sees are left out, and a program has twice as "
    "many queries for each load of keys.",
    ("block-skipping",),
)
MEASURED = Rung(
    "measured blocks",
    "Block sizes are measured, keys are read in the layout of the product, exponentials are powers "
    "of two, and the next block is loaded ahead.",
    ("autotuned", "exp2"),
)
CONFIGS = tuple(
    ({"BLOCK_M": m, "BLOCK_N": n}, warps, stages)
    for m, n, warps, stages in ((64, 32, 4, 3), (64, 64, 4, 3), (128, 64, 4, 3), (128, 64, 8, 3),
                                (128, 128, 8, 2))
)  # fmt: skip
PHRASES = {
    "full": "attention of all positions to all",
    "causal": "causal attention",
    "window": f"causal attention to the last {WINDOW} positions",
}


def _attention(kind: str, capped: bool, timed: tuple[int, int, int, int]) -> Ladder:
    names = ("batch", "heads", "length", "dim")
    lines = ["scores = q.float() @ k.float().transpose(-1, -2) * q.shape[-1] ** -0.5"]
    if capped:
        lines.append(f"scores = {CAP} * torch.tanh(scores / {CAP})")
    if kind != "full":
        lines.append("position = torch.arange(q.shape[-2], device=q.device)")
        lines.append("distance = position[:, None] - position[None, :]")
        hidden = "distance < 0" + (f") | (distance >= {WINDOW}" if kind == "window" else "")
        hidden = f"({hidden})" if kind == "window" else hidden
        lines.append(f'scores = scores.masked_fill({hidden}, float("-inf"))')
    lines.append("return (torch.softmax(scores, dim=-1) @ v.float()).to(q.dtype)")
    banded = (SKIPPED,) if kind != "full" else ()
    return Ladder(
        Sketch(
            entry_point=named(kind, "soft_cap" if capped else "", "attention"),
            summary=f"Compute {PHRASES[kind]}"
            + (f" with scores capped softly at {CAP:.0f}." if capped else "."),
            operation_type="attention",
            tags=("attention", kind),
            triton="attention",
            python=tuple(lines),
            arguments=tuple(Argument(name, names) for name in "qkv"),
            sizes=tuple(
                dict(zip(names, size, strict=True))
                for size in ((1, 1, 1, 16), (1, 2, 33, 16), (1, 1, 100, 24))
            ),
            perf=(dict(zip(names, timed, strict=True)),),
            dtypes=("float16",),
            tolerance={"float16": (5e-3, 5e-3)},
            layouts=("contiguous",),
            values={
                "kind": kind,
                "cap": CAP if capped else 0,
                "window": WINDOW,
                "configs": CONFIGS,
            },
        ),
        (SCORES_IN_MEMORY, ONLINE, *banded, MEASURED),
    )


ATTENTION_LADDERS = (LadderRecipe("ladder-attention", tuple(starmap(_attention, ATTENTIONS))),)
