"""Convolutions of each channel with a few taps, as in state-space models."""

from __future__ import annotations

from validation.pairs.recipes.blocks import EPILOGUES, NAMED, only
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import DTYPES, named
from validation.pairs.recipes.maps import in_float32
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances

# State-space models apply SiLU, so it gets a quarter of the choices.
AFTER_CONVOLUTION = (*only(EPILOGUES, "full"), *(Chain((NAMED["silu"],)),) * 60)


def _filter(
    taps: int,
    chain: Chain,
    bias: bool,
    causal: bool,
    block_size: int,
    dtypes: tuple[str, ...],
    **_: object,
) -> Sketch | None:
    """Return a convolution of each row with its channel's taps."""
    if not chain.possible or not all(operation.smooth for operation in chain.operations):
        return None
    left = taps - 1 if causal else (taps - 1) // 2
    kind = "causal depthwise convolution" if causal else "depthwise convolution"
    additions = (*("zero padding to the same length",) * (not causal), *("a bias",) * bias)
    phrase = f"apply a {kind} of width {taps}{' with ' * bool(additions)}{' and '.join(additions)}"
    biases = ("bias",) if bias else ()
    lines = (
        f"padded = F.pad(signal, ({left}, {taps - 1 - left}))",
        f"x = F.conv1d(padded[None], weight[:, None]{', bias' * bias}, groups=len(signal))[0]",
        *chain.torch(),
    )
    return Sketch(
        entry_point=named("causal_conv1d" if causal else "depthwise_conv1d", str(taps), chain.name),
        summary=sentence_of(phrase, *chain.phrases),
        operation_type="convolution",
        tags=("convolution", "depthwise", "1d"),
        triton="filter",
        python=(
            in_float32(("signal", "weight", *biases, *chain.floats), lines, chain.result)
            if dtypes != ("float32",)
            else (*lines, f"return {chain.result}")
        ),
        arguments=(
            Argument("signal", ("channels", "length"), chain.draw),
            Argument("weight", ("channels", str(taps))),
            *(Argument(name, ("channels",)) for name in biases),
            *chain.arguments(("channels", "length"), ("length",), ("channels",)),
        ),
        sizes=(
            {"channels": 1, "length": 1},
            {"channels": 5, "length": 127},
            {"channels": 3, "length": 2 * block_size + 44},
        ),
        tolerance=tolerances(dtypes, 3, 5e-5),
        values={
            "biases": biases,
            "left": left,
        },
    )


CONVOLUTION_RECIPES = (
    Recipe(
        "filter",
        _filter,
        taps=(3, 4, 5, 7),
        chain=AFTER_CONVOLUTION,
        bias=(True, True, False),
        walk=("grid", "loop"),
        causal=(False, True),
        block_size=(512, 1024),
        dtypes=DTYPES,
    ),
)
