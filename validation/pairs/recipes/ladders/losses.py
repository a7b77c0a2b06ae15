"""Ladders of cross-entropy: from log-probabilities in memory to splits of the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


@dataclass(frozen=True, slots=True)
class CrossEntropy:
    """One ladder: the loss, and the shape of the logits for timing."""

    before: tuple[str, ...] = ()
    smoothing: float = 0.0
    z_loss: float = 0.0
    rows: int = 2048
    cols: int = 32000


CROSS_ENTROPIES = (
    CrossEntropy(),
    CrossEntropy(smoothing=0.1, rows=1024, cols=50257),
    CrossEntropy(("soft_cap",), rows=256, cols=256000),
    CrossEntropy(z_loss=0.0001, rows=512, cols=128256),
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


def _cross_entropy(of: CrossEntropy) -> Ladder:
    before = chain_of(*of.before)
    dtypes = ("bfloat16", "float32")
    smoothing = f", label_smoothing={of.smoothing}" if of.smoothing else ""
    loss = f'F.cross_entropy({before.result}, target, reduction="none"{smoothing})'
    lines = ["x = x.float()", *before.torch()]
    if of.z_loss:
        lines.append("log_sum = torch.logsumexp(x, dim=-1)")
        loss += f" + {of.z_loss} * log_sum.square()"
    extra = "with label smoothing" if of.smoothing else "with a z-loss" if of.z_loss else ""
    name = "smoothed" if of.smoothing else "z_loss" if of.z_loss else "rows"
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
            perf=({"rows": of.rows, "cols": of.cols},),
            dtypes=dtypes,
            tolerance=dict.fromkeys(dtypes, tolerances(("float32",), 4, 1e-4)["float32"]),
            layouts=("contiguous",),
            values={
                "chain": before,
                "smoothing": of.smoothing,
                "z_loss": of.z_loss,
                "configs": CONFIGS,
            },
        ),
        RUNGS,
    )


LOSS_LADDERS = (LadderRecipe("ladder-cross-entropy", _cross_entropy, {"of": CROSS_ENTROPIES}),)
