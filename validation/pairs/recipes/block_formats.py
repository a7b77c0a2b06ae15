"""8-bit and 4-bit floats with a scale for each block: quantization, and products by blocks."""

from __future__ import annotations

from validation.pairs.recipes.activations import ACTIVATIONS, Activation, afterward
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.prepared import Preparation, product_configs
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

DTYPES = (("bfloat16", "float32"), ("float16", "float32"), ("float32",))
SHARED = {
    "group": "each {group} values of a row",
    "block": "each block of {group} by {group} values",
    "token": "each row",
}


def _fp8_quantize(
    granularity: str,
    group: int,
    gated: bool,
    power: bool,
    column_major: bool,
    floor: str,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if (granularity == "token" and group != 128) or (column_major and granularity != "group"):
        return None
    shared = SHARED[granularity].format(group=group)
    kind = "a power of two as the scale" if power else "a scale"
    width = "2 * cols" if gated else "cols"
    sizes = ({"rows": 1, "cols": 1}, {"rows": 17, "cols": 3}, {"rows": 40, "cols": 2})
    if granularity == "token":
        scaled = [{**size, "cols": 97 * size["cols"]} for size in sizes]
    else:
        scaled = [
            {
                "rows": group * size["cols"] if granularity == "block" else size["rows"],
                "cols": group * size["cols"],
            }
            for size in sizes
        ]
    allowed = {
        "group": {"cols": {"multiple_of": group}},
        "block": {"rows": {"multiple_of": group}, "cols": {"multiple_of": group}},
        "token": {},
    }[granularity]
    rows, cols, timed_for = 4096, 7168, "Hidden states of DeepSeek-V3 for 4,096 tokens."
    if gated:
        # Each of 4,096 tokens is routed to 8 experts.
        rows, cols, timed_for = 32768, 2048, "The experts of DeepSeek-V3 for 4,096 tokens."
    elif granularity == "block":
        timed_for = "The gate and up projections of an expert of DeepSeek-V3."
    return Sketch(
        entry_point=named("silu_mul" if gated else "", "fp8", granularity, "quantize"),
        summary=(
            "Multiply the SiLU of one half by the other, then quantize" if gated else "Quantize"
        )
        + f" to float8_e4m3fn with {kind} for {shared}.",
        operation_type="quantization",
        tags=("quantization", "fp8", f"per-{granularity}", *(("swiglu",) * gated)),
        triton="fp8_quantize",
        python=(
            *(
                ("gate, up = x.float().chunk(2, dim=-1)", "x = F.silu(gate) * up")
                if gated
                else ("x = x.float()",)
            ),
            *_fp8_in_torch(granularity, group, power, floor),
        ),
        arguments=(Argument("x"),),
        sizes=tuple(scaled),
        tolerance=dict.fromkeys(dtypes, (1e-5, 1e-8)),
        outputs=2,
        values={
            "configs": (({"BLOCK_M": 4}, 1, 1), ({"BLOCK_M": 16}, 4, 1), ({"BLOCK_M": 32}, 8, 1)),
            "why": (f"A row of {group} values fills a warp, so BLOCK_M grows with the warps.",),
        },
        perf=({"rows": rows, "cols": cols, "dtype": dtypes[0]},),
        inputs=Preparation(
            lines=(
                f"x = torch.randn((rows, {width}), generator=generator).to(dtype)",
                "return (laid_out(x),)",
            ),
            timed_for=timed_for,
            allowed=allowed,
            levels={"float8_e4m3fn": (0.13, 0.004)},
        ),
    )


def _fp8_in_torch(granularity: str, group: int, power: bool, floor: str) -> tuple[str, ...]:
    """Return PyTorch's lines from `x` in float32 to the return statement."""
    if granularity == "group":
        split, over, spread, joined = (
            f"groups = x.unflatten(-1, (-1, {group}))", "groups.abs().amax(dim=-1)",
            "scale[..., None]", "q.flatten(-2)",
        )  # fmt: skip
    elif granularity == "block":
        split, over, spread, joined = (
            f"groups = x.unflatten(0, (-1, {group})).unflatten(-1, (-1, {group}))",
            "groups.abs().amax(dim=(1, 3))", "scale[:, None, :, None]", "q.view(x.shape)",
        )  # fmt: skip
    else:
        split, over, spread, joined = "", "x.abs().amax(dim=-1, keepdim=True)", "scale", "q"
    source = "groups" if split else "x"
    return (
        *((split,) if split else ()),
        f"scale = {over}.clamp(min={floor}) / 448.0",
        *(("scale = torch.exp2(torch.ceil(torch.log2(scale)))",) * power),
        f"q = ({source} / {spread}).clamp(-448.0, 448.0).to(torch.float8_e4m3fn)",
        f"return {joined}, scale",
    )


def _fp8_matmul(
    scaling: str,
    group: int,
    layout: str,
    bias: bool,
    activation: Activation,
    order: str,
    dtype: str,
) -> Sketch | None:
    blocks_n = f"(n + {group - 1}) // {group}" if scaling == "block" else "n"
    linear = layout == "nk"
    k = 1 if linear else 0
    b_shape, b_scale_shape = (
        ("(n, k)", f"({blocks_n}, k // {group})")
        if linear
        else ("(k, n)", f"(k // {group}, {blocks_n})")
    )
    spread: tuple[str, ...] = (f"b = b.float() * b_scale.repeat_interleave({group}, dim={k})",)
    if scaling == "block":
        cut = "[: b.shape[0]]" if linear else "[:, : b.shape[1]]"
        spread = (
            f"b_scale = b_scale.repeat_interleave({group}, 0).repeat_interleave({group}, 1)",
            f"b = b.float() * b_scale{cut}",
        )
    factors = (
        "a float8_e4m3fn matrix by the transpose of another"
        if linear
        else "two float8_e4m3fn matrices"
    )
    shared = (
        f"{group} inner values of the first and each block of {group} by {group} of the second"
        if scaling == "block"
        else f"{group} values along the inner dimension"
    )
    summary = f"Multiply {factors}, with a scale for each {shared}"
    return Sketch(
        entry_point=named("fp8", scaling, "linear" if linear else "matmul", activation.name),
        summary=f"{summary}{afterward(bias, activation)}.",
        operation_type="matmul",
        tags=("matmul", "fp8", "block-scales"),
        triton="fp8_block_matmul",
        python=(
            f"a = a.float() * a_scale.repeat_interleave({group}, dim=1)",
            *spread,
            f"out = F.linear(a, b{', bias.float()' if bias else ''})"
            if linear
            else f"out = a @ b{' + bias.float()' if bias else ''}",
            f"return {activation.torch or 'out'}.to(torch.{dtype})",
        ),
        arguments=tuple(
            Argument(name) for name in ("a", "b", "a_scale", "b_scale", *(("bias",) * bias))
        ),
        sizes=(
            {"m": 1, "n": 1, "k": group},
            {"m": 17, "n": 31, "k": 3 * group},
            {"m": 40, "n": 2 * group + 6, "k": 2 * group},
        ),
        dtypes=(dtype,),
        tolerance={dtype: (1.6e-2, 1.6e-2) if dtype == "bfloat16" else (4e-3, 8e-3)},
        values={
            "configs": product_configs(
                order,
                ((32, 32, group, 4, 3), (64, 128, group, 4, 4), (128, 128, group, 8, 3)),
            ),
            "why": (
                f"BLOCK_K is the {group} values that share a scale. Three stages of 128 rows and",
                f"columns take {3 * 256 * group // 1024} KB of shared memory.",
            ),
        },
        perf=(
            {"m": 64, "n": 7168, "k": 2048, "dtype": dtype},
            {"m": 4096, "n": 4096, "k": 7168, "dtype": dtype},
        ),
        inputs=Preparation(
            lines=(
                "def laid_out_bytes(values):",
                "    # Strided as bytes, which torch copies on every device.",
                "    return laid_out(values.view(torch.uint8)).view(torch.float8_e4m3fn)",
                "",
                "a = torch.randn((m, k), generator=generator).to(torch.float8_e4m3fn)",
                f"b = torch.randn({b_shape}, generator=generator).to(torch.float8_e4m3fn)",
                f"a_scale = torch.rand((m, k // {group}), generator=generator) + 0.5",
                "a_scale = a_scale / k**0.5",
                f"b_scale = torch.rand({b_scale_shape}, generator=generator) + 0.5",
                *(("bias = torch.randn((n,), generator=generator).to(dtype)",) * bias),
                "scales = laid_out(a_scale), laid_out(b_scale)",
                "return laid_out_bytes(a), laid_out_bytes(b), *scales"
                + (", bias.to(device)" if bias else ""),
            ),
            timed_for="Projections of DeepSeek-V3: decoding, and a prefill of 4,096 tokens.",
            allowed={"k": {"multiple_of": group}},
        ),
    )


def _mxfp4_quantize(block: int, dtypes: tuple[str, ...], **_: object) -> Sketch:
    return Sketch(
        entry_point="mxfp4_quantize",
        summary="Quantize to MXFP4 (two to a byte) with an exponent for each 32 values of a row.",
        operation_type="quantization",
        tags=("quantization", "mxfp4"),
        triton="mxfp4_quantize",
        python=(
            "groups = x.float().unflatten(-1, (-1, 32))",
            "largest = groups.abs().amax(dim=-1).clamp(min=2.0**-124)",
            "exponents = torch.frexp(largest).exponent - 3",
            "scaled = groups / torch.exp2(exponents)[..., None]",
            "middles = torch.tensor([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0], device=x.device)",
            "levels = torch.bucketize(scaled.abs(), middles) + 8 * (scaled < 0)",
            "levels = levels.flatten(-2).to(torch.uint8)",
            "packed = levels[:, 0::2] | (levels[:, 1::2] << 4)",
            "return packed, (exponents + 127).to(torch.uint8)",
        ),
        arguments=(Argument("x"),),
        sizes=({"rows": 1, "cols": 32}, {"rows": 17, "cols": 96}, {"rows": 40, "cols": 64}),
        tolerance=dict.fromkeys(dtypes, (0.0, 0.0)),
        outputs=2,
        values={
            "configs": (
                ({"BLOCK_M": block}, 1, 1),
                ({"BLOCK_M": 2 * block}, 2, 1),
                ({"BLOCK_M": 4 * block}, 4, 1),
            ),
            "why": ("A row of a group is only 16 bytes of output, so a program takes many rows.",),
        },
        perf=({"rows": 4096, "cols": 2880, "dtype": dtypes[0]},),
        inputs=Preparation(
            lines=(
                "x = torch.randn((rows, cols), generator=generator).to(dtype)",
                "return (laid_out(x),)",
            ),
            timed_for="Hidden states of gpt-oss for 4,096 tokens.",
            allowed={"cols": {"multiple_of": 32}},
        ),
    )


BLOCK_FORMAT_RECIPES = (
    Recipe(
        "fp8-block-quantize",
        _fp8_quantize,
        granularity=("group", "block", "token"),
        group=(128, 64),
        gated=(False, True),
        power=(False, True),
        column_major=(False, True),
        floor=("1e-10", "1e-4"),
        dtypes=DTYPES,
    ),
    Recipe(
        "fp8-block-matmul",
        _fp8_matmul,
        scaling=("block", "group"),
        group=(128, 64),
        layout=("nk", "kn"),
        bias=(False, True),
        activation=ACTIVATIONS,
        order=("grouped", "grid"),
        dtype=("bfloat16", "float16"),
    ),
    Recipe(
        "mxfp4-quantize",
        _mxfp4_quantize,
        encoding=("steps", "pieces"),
        walk=("pairs", "split"),
        block=(16, 32),
        dtypes=DTYPES,
    ),
)
