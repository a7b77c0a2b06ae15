"""Ladders of element-wise operations: chains in models, and steps of optimizers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import starmap

from validation.pairs.recipes.chains import Chain
from validation.pairs.recipes.ladders.ladder import Ladder, LadderRecipe, Rung
from validation.pairs.recipes.ladders.norms import chain_of
from validation.pairs.recipes.maps import map_tolerances, reference_lines
from validation.pairs.recipes.optimizers import OPTIMIZERS, corrections, in_triton, step_number
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

CHAINS = (
    (("add_bias", "gelu", "drop", "add_residual"), "bfloat16", 8192, 4096),
    (("affine", "silu", "multiply"), "float16", 4096, 11008),
    (("add_bias", "silu_gate", "add_residual"), "bfloat16", 4096, 8192),
    (("modulate", "gelu_tanh", "layer_scale_residual"), "bfloat16", 16384, 1152),
    (("scale_scores", "soft_cap", "add_attention_mask"), "float16", 32768, 1024),
    (("standardize", "squared_relu", "multiply"), "float16", 8192, 2048),
)
UNFUSED = Rung(
    "a kernel for each operation",
    "Each operation has a kernel of its own, so every result between them goes to memory and back.",
    ("naive", "unfused"),
)
FUSED = Rung(
    "fused",
    "One kernel computes all operations in registers: inputs are read once and only the result is "
    "written.",
    ("fused",),
)
TILES = Rung(
    "tiles",
    "Tiles of measured shape load a column's values once for several rows, and give each thread "
    "more loads to wait for at once.",
    ("tiled", "autotuned"),
)
CHAIN_CONFIGS = tuple(({"BLOCK_M": m, "BLOCK_N": n}, warps, 1) for m, n, warps in (
    (4, 128, 4), (4, 256, 4), (8, 256, 4), (4, 512, 8), (1, 1024, 4), (2, 1024, 8)))  # fmt: skip


def _chain(names: tuple[str, ...], dtype: str, rows: int, cols: int) -> Ladder:
    chain = chain_of(*names)
    dtypes = (dtype, "float32")
    return Ladder(
        Sketch(
            entry_point=chain.name,
            summary=chain.sentence(),
            operation_type="element-wise",
            tags=("element-wise", "chain"),
            triton="chain",
            python=reference_lines(chain, dtypes),
            arguments=(
                Argument("x", ("rows", "cols")),
                *chain.arguments(("rows", "cols"), ("cols",)),
            ),
            sizes=({"rows": 1, "cols": 1}, {"rows": 3, "cols": 31}, {"rows": 7, "cols": 150}),
            perf=({"rows": rows, "cols": cols},),
            dtypes=dtypes,
            tolerance=map_tolerances(chain, dtypes),
            layouts=("contiguous",),
            values={
                "chain": chain,
                "singles": tuple(Chain((one,)) for one in chain.operations),
                "configs": CHAIN_CONFIGS,
            },
        ),
        (UNFUSED, FUSED, TILES),
    )


@dataclass(frozen=True, slots=True)
class Update:
    """A line of an optimizer, computed by a separate kernel."""

    target: str
    line: str
    reads: tuple[str, ...]
    given: tuple[str, ...]
    """The tensors that are passed to the kernel for the values that it reads."""

    def numbers(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return the numbers among `known` that the line reads."""
        return tuple(name for name in known if re.search(rf"\b{name}\b", self.line))


A_KERNEL_EACH = Rung(
    "a kernel for each tensor",
    "Each new tensor has a kernel of its own, so gradients and states are read more than once.",
    ("naive", "unfused"),
)
ONE_KERNEL = Rung(
    "fused",
    "One kernel updates a block of all tensors, so each value is read once and written once.",
    ("fused",),
)
PERSISTENT = Rung(
    "persistent",
    "Programs that fill the GPU once walk over wide blocks of measured width, so that the next "
    "loads start before the last stores end.",
    ("persistent", "autotuned"),
)
STEP_CONFIGS = tuple(
    ({"BLOCK_SIZE": n}, warps, 2) for n, warps in ((1024, 4), (1024, 8), (2048, 8), (4096, 8))
)
STEPS = (
    ("adam", 4096 * 2048), ("adamax", 2048 * 2048 * 2), ("nesterov", 4096 * 4096),
    ("smooth_lion", 2048 * 5504),
)  # fmt: skip


def _step(kind: str, n: int) -> Ladder:
    phrase, states, torch = OPTIMIZERS[kind]
    triton = in_triton(torch)
    names, outputs = ("p", "g", *states), ("p", *states)
    return Ladder(
        Sketch(
            entry_point=f"{kind}_update",
            summary=f"Return parameters and states after one step of {phrase}.",
            operation_type="optimizer",
            tags=("optimizer", kind.replace("_", "-")),
            triton="optimizer",
            python=(*torch, f"return {', '.join(outputs)}"),
            arguments=(
                *(Argument(one, ("n",), "positive" if one == "v" else "normal") for one in names),
                Argument("lr", default="0.01"),
                *step_number(kind),
            ),
            sizes=({"n": 1}, {"n": 127}, {"n": 1500}),
            perf=({"n": n},),
            dtypes=("float32",),
            tolerance=tolerances(("float32",), 4),
            layouts=("contiguous",),
            outputs=len(outputs),
            values={
                "names": names,
                "outputs": outputs,
                "numbers": {"lr": "lr", **corrections(kind)},
                "lines": triton,
                "updates": _updates(names, triton),
                "configs": STEP_CONFIGS,
            },
        ),
        (A_KERNEL_EACH, ONE_KERNEL, PERSISTENT),
    )


def _updates(names: tuple[str, ...], lines: tuple[str, ...]) -> tuple[Update, ...]:
    updates = []
    current = {name: name for name in names}
    for line in lines:
        target, _, expression = line.partition(" = ")
        words = dict.fromkeys(re.findall(r"(?<!\.)\b[a-z]\w*\b", expression))
        reads = tuple(word for word in words if word in current)
        updates.append(Update(target, line, reads, tuple(current[word] for word in reads)))
        current[target] = f"{target}_out" if target in names else target
    return tuple(updates)


ELEMENTWISE_LADDERS = (
    LadderRecipe("ladder-chain", tuple(starmap(_chain, CHAINS))),
    LadderRecipe("ladder-optimizer", tuple(starmap(_step, STEPS))),
)
