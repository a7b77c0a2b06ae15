"""Ladders of cross-entropy: from log-probabilities in memory to splits of the vocabulary."""

from __future__ import annotations

from itertools import starmap

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# Operations on the logits, label smoothing, weight of the z-loss, and the shape for timing.
CROSS_ENTROPIES = (
    ((), 0.0, 0.0, 2048, 32000),
    ((), 0.1, 0.0, 1024, 50257),
    (("soft_cap",), 0.0, 0.0, 256, 256000),
    ((), 0.0, 0.0001, 512, 128256),
)
RUNGS = (
    Rung(
        "log-probabilities in memory",
        "A log-softmax of all logits is written to memory, and a second kernel picks the labels.",
        ("naive", "unfused"),
    ),
    Rung(
        "online",
        "One kernel reads the logits once, because each lane rescales its sum when its maximum "
        "grows; log-probabilities never reach memory.",
        ("fused", "online"),
    ),
    Rung(
        "parts of the vocabulary",
        "Several programs share a row and a second kernel joins their sums, so that few rows fill "
        "the GPU.",
        ("split", "autotuned"),
    ),
)
CONFIGS = tuple(({"BLOCK_N": n}, warps, 2) for n, warps in ((1024, 4), (2048, 8), (4096, 8)))


def _cross_entropy(
    names: tuple[str, ...], smoothing: float, z_loss: float, rows: int, cols: int
) -> Ladder:
    before = chain_of(*names)
    dtypes = ("bfloat16", "float32")
    option = f", label_smoothing={smoothing}" if smoothing else ""
    loss = f'F.cross_entropy({before.result}, target, reduction="none"{option})'
    lines = ["x = x.float()", *before.torch()]
    if z_loss:
        lines.append("log_sum = torch.logsumexp(x, dim=-1)")
        loss += f" + {z_loss} * log_sum.square()"
    extra = "with label smoothing" if smoothing else "with a z-loss" if z_loss else ""
    name = "smoothed" if smoothing else "z_loss" if z_loss else "rows"
    ending = f"compute the cross-entropy of each row {extra}".strip()
    return Ladder(
        Sketch(
            entry_point=named("cross_entropy", before.name or name),
            summary=before.sentence(ending),
            operation_type="loss",
            tags=("loss", "cross-entropy"),
            triton="cross_entropy",
            python=(*lines, f"return {loss}"),
            arguments=(
                Argument("x", ("rows", "cols")),
                Argument("target", ("rows",), "index", bound="cols"),
            ),
            sizes=({"rows": 1, "cols": 7}, {"rows": 3, "cols": 31}, {"rows": 4, "cols": 1100}),
            perf=({"rows": rows, "cols": cols},),
            dtypes=dtypes,
            tolerance=dict.fromkeys(dtypes, tolerances(("float32",), 4, 1e-4)["float32"]),
            layouts=("contiguous",),
            values={
                "chain": before,
                "smoothing": smoothing,
                "z_loss": z_loss,
                "configs": CONFIGS,
            },
        ),
        RUNGS,
    )


LOSS_LADDERS = (
    LadderRecipe("ladder-cross-entropy", tuple(starmap(_cross_entropy, CROSS_ENTROPIES))),
)
