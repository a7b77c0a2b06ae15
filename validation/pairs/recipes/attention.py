"""Attention over packed sequences of different lengths."""

from __future__ import annotations

from validation.pairs.recipes.choices import listed, named
from validation.pairs.recipes.prepared import EXACT_PRODUCTS, Preparation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch


def _varlen(
    causal: bool,
    cross: bool,
    window: int,
    softcap: str,
    grouped: bool,
    dtypes: tuple[str, ...],
    **_: object,
) -> Sketch | None:
    if (cross and causal) or (window and not causal):
        return None
    plain = not window and not softcap
    offsets = ("cu_seqlens_q", "cu_seqlens_k") if cross else ("cu_seqlens",)
    words = [
        *(("causal",) * causal),
        *((f"a window of {window} keys",) * bool(window)),
        *((f"scores soft-capped at {float(softcap or 0):.0f}",) * bool(softcap)),
        *(("grouped query heads",) * grouped),
    ]
    return Sketch(
        entry_point=named(
            "varlen",
            "causal" * causal,
            "window" * bool(window),
            "softcap" * bool(softcap),
            "cross" * cross,
            "gqa" * grouped,
            "attention",
        ),
        summary="Compute "
        + ("causal " if causal else "")
        + ("cross-" if cross else "")
        + "attention for packed sequences of different lengths"
        + listed(words[causal:], " with ")
        + ".",
        operation_type="attention",
        tags=("attention", "varlen", *(("causal",) * causal), *(("gqa",) * grouped)),
        triton="varlen_attention",
        python=_varlen_in_torch(plain, causal, cross, window, softcap, grouped),
        arguments=(
            *map(Argument, ("q", "k", "v", *offsets)),
            Argument("max_seqlen", annotation="int"),
        ),
        sizes=(
            {"sequences": 1, "longest": 1, "heads": 2, "head_dim": 16},
            {"sequences": 3, "longest": 45, "heads": 4, "head_dim": 32},
            {"sequences": 3, "longest": 260, "heads": 2, "head_dim": 16},
            {"sequences": 2, "longest": 70, "heads": 2, "head_dim": 64},
        ),
        values={
            "configs": tuple(
                ({"BLOCK_M": m, "BLOCK_N": n}, warps, stages)
                for m, n, warps, stages in (
                    ((32, 32, 4, 2), (64, 32, 4, 2))
                    if "float32" in dtypes
                    else ((32, 32, 4, 2), (64, 64, 4, 3), (128, 64, 8, 3))
                )
            ),
            "why": (EXACT_PRODUCTS,)
            if "float32" in dtypes
            else (
                "128 queries and two stages of 64 keys and values take 96 KB of shared memory at",
                "128 features of 16 bits.",
            ),
            },
        perf=(
                    {
                        "sequences": 8, "longest": 2048, "heads": 32, "head_dim": 128,
                        "dtype": "float16",
                    },
                ),
        inputs=Preparation(
                lines=(
                    *_lengths("cu_seqlens_q" if cross else "cu_seqlens"),
                    *(_lengths("cu_seqlens_k") if cross else ()),
                    f"q_shape = (int({offsets[0]}[-1]), heads, head_dim)",
                    f"kv_shape = (int({offsets[-1]}[-1]), heads{' // 2' * grouped}, head_dim)",
                    "q = torch.randn(q_shape, generator=generator)",
                    *(("# Scores near the cap, so it counts.", "q = 20.0 * q") * bool(softcap)),
                    "k = torch.randn(kv_shape, generator=generator)",
                    "v = torch.randn(kv_shape, generator=generator)",
                    "tensors = [laid_out(x.to(dtype)) for x in (q, k, v)]",
                    f"max_seqlen = int({offsets[0]}.diff().max())",
                    "return (*tensors, "
                    + ", ".join(f"{name}.to(device)" for name in offsets)
                    + ", max_seqlen)",
                ),
                timed_for="Eight prompts of up to 2,048 tokens for the heads of Llama 3 8B.",
                allowed={
                    "head_dim": [16, 32, 64, 128],
                    **({"heads": {"multiple_of": 2}} if grouped else {}),
                },
            ),
    )  # fmt: skip


def _lengths(name: str) -> tuple[str, ...]:
    return (
        "lengths = torch.randint(1, longest + 1, (sequences,), generator=generator)",
        f"{name} = torch.nn.functional.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)",
    )


def _varlen_in_torch(
    plain: bool, causal: bool, cross: bool, window: int, softcap: str, grouped: bool
) -> tuple[str, ...]:
    bounds = (
        (
            "bounds = zip(cu_seqlens_q.tolist(), cu_seqlens_k.tolist())",
            "q_start, k_start = next(bounds)",
            "for q_end, k_end in bounds:",
        )
        if cross
        else (
            "start, *ends = cu_seqlens.tolist()",
            "for end in ends:",
        )
    )
    q_range, k_range = ("q_start:q_end", "k_start:k_end") if cross else ("start:end", "start:end")
    gqa = ", enable_gqa=True" if grouped else ""
    body = [
        f"queries = q[{q_range}].transpose(0, 1)",
        f"keys = k[{k_range}].transpose(0, 1)",
        f"values = v[{k_range}].transpose(0, 1)",
    ]
    if plain:
        flag = ", is_causal=True" if causal else ""
        call = f"F.scaled_dot_product_attention(queries[None], keys[None], values[None]{flag}{gqa})"
        body += [f"attended = {call}", f"out[{q_range}] = attended[0].transpose(0, 1)"]
    else:
        if grouped:
            body += [
                "group = q.shape[1] // k.shape[1]",
                "keys = keys.repeat_interleave(group, dim=0)",
                "values = values.repeat_interleave(group, dim=0)",
            ]
        body += [
            "scores = queries.float() @ keys.float().transpose(-1, -2) * q.shape[-1] ** -0.5",
        ]
        if softcap:
            body += [f"scores = {softcap} * torch.tanh(scores / {softcap})"]
        if causal:
            body += [
                "positions = torch.arange(end - start, device=q.device)",
                "distance = positions[:, None] - positions",
                "hidden = distance < 0"
                if not window
                else f"hidden = (distance < 0) | (distance >= {window})",
                'scores = scores.masked_fill(hidden, float("-inf"))',
            ]
        body += [
            "attended = F.softmax(scores, dim=-1) @ values.float()",
            f"out[{q_range}] = attended.transpose(0, 1).to(q.dtype)",
        ]
    body += ["q_start, k_start = q_end, k_end" if cross else "start = end"]
    return (
        "out = torch.empty_like(q)",
        *bounds,
        *(f"    {line}" for line in body),
        "return out",
    )


ATTENTION_RECIPES = (
    Recipe(
        "varlen-attention",
        _varlen,
        causal=(False, True),
        cross=(False, True),
        window=(0, 128),
        softcap=("", "30.0", "50.0"),
        grouped=(False, True),
        base=(2, 1),
        dtypes=(("float16",), ("float32",)),
    ),
)
