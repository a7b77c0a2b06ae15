"""Fused operations for inference and training: norms that quantize, a loss without logits."""

from __future__ import annotations

from validation.pairs.recipes.choices import listed, named
from validation.pairs.recipes.prepared import EXACT_PRODUCTS, Preparation, returned
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))


def _norm_quantize(
    kind: str,
    residual: bool,
    stored: str,
    scaling: str,
    unit_offset: bool,
    walk: str,
    block: int,
    **_: object,
) -> Sketch | None:
    layer = kind == "layer_norm"
    if (layer and unit_offset) or (walk == "whole" and block != 2048):
        return None
    fp8 = stored == "float8_e4m3fn"
    limit = "448.0" if fp8 else "127.0"
    per_token = scaling == "token"
    parameters = ("weight", *(("bias",) * layer))
    names = (
        "x", *(("residual",) * residual), *parameters, *(("scale",) * (not per_token)),
    )  # fmt: skip
    weight = "1.0 + weight.float()" if unit_offset else "weight.float()"
    source = "x" if residual else "x.float()"
    norm = (
        f"normal = F.layer_norm({source}, x.shape[-1:], weight.float(), bias.float(), eps)"
        if layer
        else f"normal = F.rms_norm({source}, x.shape[-1:], {weight}, eps)"
    )
    levels = f"levels = (normal / scale).clamp(-{limit}, {limit})"
    first = "Add a residual, apply" if residual else "Apply"
    weighted = "a scale of 1 + weight" if unit_offset else "a weight"
    words = f"RMS normalization with {weighted}"
    if layer:
        words = "layer normalization with a weight and a bias"
    shared = "a scale for each row" if per_token else "one scale"
    outputs = ["q", *(["scale"] if per_token else []), *(["x.to(dtype)"] if residual else [])]
    return Sketch(
        entry_point=named(
            "add" * residual,
            kind,
            "fp8" if fp8 else "int8",
            "quantize" if per_token else "static_quantize",
        ),
        summary=f"{first} {words}, then quantize to {stored} with {shared}.",
        operation_type="normalization",
        tags=(kind.replace("_", "-"), "quantization", "fp8" if fp8 else "int8"),
        triton="norm_quantize",
        python=(
            *(("dtype = x.dtype", "x = x.float() + residual.float()") * residual),
            norm,
            *(
                (
                    "largest = normal.abs().amax(dim=-1, keepdim=True)",
                    f"scale = largest.clamp(min=1e-6) / {limit}",
                )
                if per_token
                else ()
            ),
            levels,
            f"q = {'levels' if fp8 else 'torch.floor(levels + 0.5)'}.to(torch.{stored})",
            f"return {', '.join(outputs)}",
        ),
        arguments=(*map(Argument, names), Argument("eps", default="1e-6")),
        sizes=(
            {"rows": 1, "cols": 1},
            {"rows": 5, "cols": 127},
            {"rows": 37, "cols": 300},
            {"rows": 3, "cols": 2500},
        ),
        outputs=len(outputs),
        perf=({"rows": 8192, "cols": 4096, "dtype": "bfloat16"},),
        inputs=Preparation(
            lines=(
                *(
                    f"{name} = torch.randn((rows, cols), generator=generator).to(dtype)"
                    for name in ("x", "residual")[: 1 + residual]
                ),
                *(
                    f"{name} = torch.randn((cols,), generator=generator).to(dtype)"
                    for name in parameters
                ),
                *(() if per_token else (f"scale = torch.tensor([4.0 / {limit}])",)),
                returned(
                    *(f"laid_out({name})" for name in ("x", "residual")[: 1 + residual]),
                    *(f"{name}.to(device)" for name in names[1 + residual :]),
                    "1e-6",
                ),
            ),
            timed_for="Hidden states of Llama 3 8B for 8,192 tokens.",
            levels={"float8_e4m3fn": (0.13, 0.004)} if fp8 else {"int8": (0.0, 1.0)},
        ),
    )


def _linear_cross_entropy(
    bias: bool,
    softcap: bool,
    smoothing: bool,
    ignore: bool,
    split: int,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    numbers = {
        **({"softcap": "30.0"} if softcap else {}),
        **({"label_smoothing": "0.1"} if smoothing else {}),
        **({"ignore_index": "-100"} if ignore else {}),
    }
    options = "".join(
        f", {name}={name}" for name in ("label_smoothing", "ignore_index") if name in numbers
    )
    words = [
        *(("a bias",) * bias),
        *(("soft-capped logits",) * softcap),
        *(("label smoothing",) * smoothing),
        *(("ignored labels",) * ignore),
    ]
    names = ("x", "weight", *(("bias",) * bias), "target")
    return Sketch(
        entry_point=named(
            "softcapped" * softcap, "linear", "cross_entropy"
        ),
        summary=f"Compute the cross-entropy of a linear layer without storing its logits"
        f"{listed(words, ', with ')}.",
        operation_type="loss",
        tags=("cross-entropy", "fused-linear", "logits"),
        triton="linear_cross_entropy",
        python=(
            f"logits = F.linear(x.float(), weight.float(){', bias.float()' * bias})",
            *(("logits = softcap * torch.tanh(logits / softcap)",) * softcap),
            f'return F.cross_entropy(logits, target, reduction="none"{options})',
        ),
        arguments=(
            *map(Argument, names),
            *(Argument(name, default=value) for name, value in numbers.items()),
        ),
        sizes=(
            {"tokens": 1, "vocabulary": 2, "features": 16},
            {"tokens": 17, "vocabulary": 131, "features": 40},
            {"tokens": 40, "vocabulary": 500, "features": 64},
            {"tokens": 33, "vocabulary": 97, "features": 100},
            {"tokens": 9, "vocabulary": 1300, "features": 20},
        ),
        tolerance={"float16": (4e-3, 4e-3), "float32": (1e-4, 1e-4)},
        values={
            "split": split > 1,
            "parts_of_vocabulary": split,
            "numbers": tuple(numbers),
            "configs": (
                ({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
                ({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
            )
            if "float32" in dtypes
            else (
                ({"BLOCK_M": 32, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
                ({"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 64}, 4, 4),
                ({"BLOCK_M": 128, "BLOCK_N": 256, "BLOCK_K": 64}, 8, 3),
            ),
            "why": (EXACT_PRODUCTS,)
            if "float32" in dtypes
            else (
                "The tokens are read again for every block of the vocabulary, so that large",
                "BLOCK_N saves traffic: three stages of 128 by 256 take 144 KB of shared memory.",
            ),
            },
        perf=(
                    {"tokens": 4096, "vocabulary": 32000, "features": 4096, "dtype": "float16"},
                ),
        inputs=Preparation(
                lines=(
                    "x = torch.randn((tokens, features), generator=generator).to(dtype)",
                    "weight = torch.randn((vocabulary, features), generator=generator)",
                    *(("# Logits near the cap, so it counts.", "weight = 20 * weight") * softcap),
                    "weight = (weight / features**0.5).to(dtype)",
                    *(("bias = torch.randn((vocabulary,), generator=generator).to(dtype)",) * bias),
                    "target = torch.randint(0, vocabulary, (tokens,), generator=generator)",
                    *(("# Every third label is padding.", "target[2::3] = -100") * ignore),
                    returned(
                        "laid_out(x)", "laid_out(weight)", *(("bias.to(device)",) * bias),
                        "target.to(device)", *numbers.values(),
                    ),
                ),
                timed_for="The head of Llama 2 7B for 4,096 tokens.",
            ),
    )  # fmt: skip


FUSION_RECIPES = (
    Recipe(
        "norm-quantize",
        _norm_quantize,
        kind=("rms_norm", "layer_norm"),
        residual=(True, False),
        stored=("int8", "float8_e4m3fn"),
        scaling=("token", "tensor"),
        unit_offset=(False, True),
        walk=("whole", "looped"),
        block=(2048, 1024),
        dtypes=DTYPES,
    ),
    Recipe(
        "linear-cross-entropy",
        _linear_cross_entropy,
        bias=(False, True),
        softcap=(False, True),
        smoothing=(False, True),
        ignore=(False, True),
        split=(1, 8, 16),
        dtypes=(("float16",), ("float32",)),
    ),
)
