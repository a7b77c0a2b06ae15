"""Operations with custom forward and backward functions, as a `torch.autograd.Function`."""

from __future__ import annotations

from validation.pairs.recipes.choices import listed, named
from validation.pairs.recipes.prepared import Preparation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import TOLERANCE, Argument, Sketch

DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
# A probability in a long row is about 0.001, so larger bounds would accept zeros.
SOFTMAX_TOLERANCE = {
    "float32": (1e-4, 1e-6), "float16": (4e-3, 1e-4), "bfloat16": (1.6e-2, 5e-4),
}  # fmt: skip
# On the CPU, PyTorch sums gradients of bfloat16 parameters in bfloat16.
NORM_TOLERANCE = {**TOLERANCE, "bfloat16": (3e-2, 3e-2)}
ROWS = (
    {"rows": 1, "cols": 1},
    {"rows": 5, "cols": 127},
    {"rows": 37, "cols": 300},
    {"rows": 64, "cols": 16},
    {"rows": 3, "cols": 1025},
)


def _norm(kind: str, bias: bool, eps: str, **_: object) -> Sketch | None:
    if bias and kind == "rms_norm":
        return None
    layer = kind == "layer_norm"
    name = "layer normalization" if layer else "RMS normalization"
    ending = "a weight and a bias" if bias else "a weight"
    names = ("x", "weight", *(("bias",) * bias))
    return Sketch(
        entry_point=kind,
        summary=f"Apply {name} with {ending} to each row, forward and backward.",
        operation_type="normalization",
        tags=(kind.replace("_", "-"), "backward"),
        triton="norm_gradients",
        python=(f"return F.{kind}(x, (x.shape[-1],), weight{', bias' if bias else ''}, eps=eps)",),
        arguments=(*map(Argument, names), Argument("eps", default=eps)),
        sizes=ROWS,
        tolerance=NORM_TOLERANCE,
        differentiable=True,
        perf=({"rows": 8192, "cols": 4096, "dtype": "bfloat16"},),
        inputs=Preparation(
            lines=(
                "x = torch.randn((rows, cols), generator=generator).to(dtype)",
                *(
                    f"{name} = torch.randn((cols,), generator=generator).to(dtype)"
                    for name in names[1:]
                ),
                f"return {', '.join(f'laid_out({name})' for name in names)}, {eps}",
            ),
            timed_for="Hidden states of Llama 3 8B for 8,192 tokens.",
        ),
    )


# Key: whether a query sees only earlier keys, and whether rows share a program, as short rows may.
TIMED_SCORES = {
    (False, False): ({"rows": 8192, "cols": 4096}, "Scores of 8,192 queries over 4,096 keys."),
    (False, True): ({"rows": 151296, "cols": 197}, "Scores of ViT-B/16 for 64 images."),
    (True, False): ({"batch": 32, "n": 2048}, "Scores of 32 heads over 2,048 tokens."),
    (True, True): ({"batch": 768, "n": 256}, "Scores of GPT-2 for 64 sequences of 256 tokens."),
}


def _softmax(
    log: bool, scaled: bool, causal: bool, walk: str, shape: tuple[int, int], **_: object
) -> Sketch | None:
    if causal and log:
        return None
    function = "log_softmax" if log else "softmax"
    scores = "x * scale" if scaled else "x"
    words = "the log-softmax" if log else "the softmax"
    kind = "the causal softmax" if causal else words
    first = f"Scale the scores and apply {kind} to" if scaled else f"Compute {kind} of"
    summary = f"{first} each row, forward and backward."
    rows_each, block = shape
    timed, timed_for = TIMED_SCORES[causal, walk == "rows"]
    return Sketch(
        entry_point=named("scaled" if scaled else "", "causal" if causal else "", function),
        summary=summary,
        operation_type="softmax",
        tags=(function.replace("_", "-"), "backward", *(("causal",) * causal)),
        triton="softmax_gradients",
        python=(
            (
                "later = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)",
                f"scores = ({scores}).masked_fill(later, float('-inf'))".replace("'", '"')
                if scaled
                else 'scores = x.masked_fill(later, float("-inf"))',
                "return F.softmax(scores, dim=-1)",
            )
            if causal
            else (f"return F.{function}({scores}, dim=-1)",)
        ),
        arguments=(Argument("x"), *((Argument("scale", default="0.125"),) * scaled)),
        sizes=(
            {"batch": 1, "n": 1}, {"batch": 3, "n": 17}, {"batch": 2, "n": 64},
            {"batch": 1, "n": 131},
        )
        if causal
        else ROWS,
        # The output is rounded before the backward pass reads it, and scores before the softmax.
        tolerance=TOLERANCE if log else SOFTMAX_TOLERANCE,
        differentiable=True,
        values={
            "rows_each": rows_each,
            "block": block,
            "warps": 4 if walk == "rows" else 8,
            },
        perf=({**timed, "dtype": "bfloat16"},),
        inputs=Preparation(
                lines=(
                    "x = torch.randn((batch, n, n), generator=generator).to(dtype)"
                    if causal
                    else "x = torch.randn((rows, cols), generator=generator).to(dtype)",
                    "return laid_out(x), 0.125" if scaled else "return (laid_out(x),)",
                ),
                timed_for=timed_for,
            ),
    )  # fmt: skip


def _cross_entropy(
    smoothing: bool, z_loss: bool, ignore: bool, block: int, **_: object
) -> Sketch | None:
    numbers = {
        **({"label_smoothing": "0.1"} if smoothing else {}),
        **({"z_weight": "0.0001"} if z_loss else {}),
        **({"ignore_index": "-100"} if ignore else {}),
    }
    options = "".join(
        f", {name}={name}" for name in ("label_smoothing", "ignore_index") if name in numbers
    )
    loss = f'F.cross_entropy(logits.float(), target, reduction="none"{options})'
    steps = [*(["label smoothing"] if smoothing else []), *(["a z-loss"] if z_loss else [])]
    if ignore:
        steps.append("ignored labels")
    lines = (
        (
            f"loss = {loss}",
            "z = torch.logsumexp(logits.float(), dim=-1).square()",
            *(("z = z.masked_fill(target == ignore_index, 0.0)",) * ignore),
            "return loss + z_weight * z",
        )
        if z_loss
        else (f"return {loss}",)
    )
    return Sketch(
        entry_point=named("smoothed" if smoothing else "", "cross_entropy", "z_loss" * z_loss),
        summary=f"Compute the cross-entropy of each row{listed(steps, ' with ')}, "
        "forward and backward.",
        operation_type="loss",
        tags=("cross-entropy", "backward", *(("z-loss",) * z_loss)),
        triton="cross_entropy_gradients",
        python=lines,
        arguments=(
            Argument("logits"),
            Argument("target"),
            *(Argument(name, default=value) for name, value in numbers.items()),
        ),
        sizes=(
            {"tokens": 1, "vocabulary": 2}, {"tokens": 7, "vocabulary": 127},
            {"tokens": 33, "vocabulary": 1000}, {"tokens": 4, "vocabulary": 4 * block + 13},
        ),
        differentiable=True,
        values={
            "warps": max(block // 512, 4),
            "numbers": tuple(numbers),
            },
        perf=({"tokens": 1024, "vocabulary": 128256, "dtype": "bfloat16"},),
        inputs=Preparation(
                lines=(
                    "logits = torch.randn((tokens, vocabulary), generator=generator).to(dtype)",
                    "target = torch.randint(0, vocabulary, (tokens,), generator=generator)",
                    *(
                        (
                            "# Every third label is padding, whose logits may be of any size.",
                            "target[2::3] = -100",
                            "logits[2::3] *= 100.0",
                        )
                        if ignore
                        else ()
                    ),
                    "return laid_out(logits), laid_out(target)"
                    + "".join(f", {value}" for value in numbers.values()),
                ),
                timed_for="Logits of Llama 3 for 1,024 tokens.",
            ),
    )  # fmt: skip


GRADIENT_RECIPES = (
    Recipe(
        "norm-with-gradients",
        _norm,
        kind=("layer_norm", "rms_norm"),
        bias=(False, True),
        reduction=("columns", "partials", "atomic"),
        eps=("1e-5", "1e-6"),
        dtypes=DTYPES,
    ),
    Recipe(
        "softmax-with-gradients",
        _softmax,
        log=(False, True),
        scaled=(False, True),
        causal=(False, True),
        walk=("row", "rows", "looped"),
        shape=((4, 256), (8, 512), (2, 1024)),
        dtypes=DTYPES,
    ),
    Recipe(
        "cross-entropy-with-gradients",
        _cross_entropy,
        smoothing=(False, True),
        z_loss=(False, True),
        ignore=(False, True),
        early=(False, True),
        block=(1024, 4096),
        dtypes=DTYPES,
    ),
)
