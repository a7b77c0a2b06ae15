"""Matrix products of 8-bit values with scales."""

from __future__ import annotations

from validation.pairs.recipes.blocks import EPILOGUES, only
from validation.pairs.recipes.chains import Chain, sentence_of
from validation.pairs.recipes.choices import FLOAT8, named
from validation.pairs.recipes.matmuls import TILES, matmul_sizes, product
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch, tolerances


def _scaled_matmul(
    chain: Chain,
    stored: str,
    layout: str,
    scaling: str,
    tile: tuple[int, int, int],
    tensor_cores: str,
) -> Sketch | None:
    if not chain.possible or not all(op.smooth for op in chain.operations):
        return None
    block = tile[2]
    inner = f"(k + {block - 1}) // {block}"
    (of_a, of_b), words = {
        "tensor": ((("1",), ("1",)), "one scale per matrix"),
        "vector": ((("m",), ("n",)), "a scale for each row and each column"),
        "block": (
            (("m", inner), ("n", inner)),
            f"scales for blocks of {block} along the inner dimension",
        ),
    }[scaling]
    factors = {
        "nn": f"two {stored} matrices",
        "nt": f"a {stored} matrix by the transpose of another",
    }[layout]
    return Sketch(
        entry_point=named("scaled_matmul", layout, chain.name),
        summary=sentence_of(f"multiply {factors}, with {words}", *chain.phrases),
        operation_type="matmul",
        tags=("matmul", "fp8", "quantization", f"per-{scaling}"),
        triton="scaled_matmul",
        python=(
            *_scaled_product(layout, scaling, block),
            *(f"{one.name} = {one.name}.float()" for one in chain.further),
            *chain.torch(),
            f"return {chain.result}.to(torch.bfloat16)",
        ),
        arguments=(
            Argument("a", ("m", "k"), dtype=stored),
            Argument("b", ("k", "n") if layout == "nn" else ("n", "k"), dtype=stored),
            Argument("a_scale", of_a, "positive", "float32"),
            Argument("b_scale", of_b, "positive", "float32"),
            *chain.arguments(("m", "n"), ("n",)),
        ),
        # The last sizes give scales of the output's shape with several values: a test then notices
        # wrong indices of scales.
        sizes=(*matmul_sizes(tile), {"m": 20, "n": 36, "k": 100}, {"m": 9, "n": 1, "k": 5}),
        dtypes=("bfloat16",),
        tolerance=tolerances(("bfloat16",), 2),
        layouts=("contiguous", "strided", "transposed"),
        values={
            "is_widened": tensor_cores == "float16",
        },
    )


def _scaled_product(layout: str, scaling: str, block: int) -> tuple[str, ...]:
    """Return PyTorch's lines for the product, assigned to `x`."""
    if scaling == "block":
        spread = f"repeat_interleave({block}, dim=1)"
        of_b = "[:, : b.shape[1]]" if layout == "nt" else "[:, : b.shape[0]].T"
        return (
            f"a = a.float() * a_scale.{spread}[:, : a.shape[1]]",
            f"b = b.float() * b_scale.{spread}{of_b}",
            f"x = {product(layout, wide=True)}",
        )
    rows = "[:, None]" if scaling == "vector" else ""
    return (
        f"x = {product(layout, wide=False)}",
        f"x = x * a_scale{rows} * b_scale",
    )


SCALED_RECIPES = (
    Recipe(
        "scaled-matmul",
        _scaled_matmul,
        chain=only(EPILOGUES, "full", "row", draws=("normal", "positive")),
        stored=FLOAT8,
        layout=("nn", "nt"),
        scaling=("tensor", "vector", "block"),
        # Each block of 32 or 64 along the inner dimension has separate scales.
        tile=TILES,
        tensor_cores=("float16", "float8"),
    ),
)
