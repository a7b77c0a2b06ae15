"""Attention over sequences of different lengths, packed or in pages of a cache."""

from __future__ import annotations

from validation.pairs.recipes.choices import named
from validation.pairs.recipes.prepared import STRIDED, Preparation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

TOLERANCE = {"float32": (1e-4, 2e-5), "float16": (4e-3, 4e-3), "bfloat16": (1.6e-2, 1.6e-2)}


def _varlen(
    causal: bool,
    cross: bool,
    window: int,
    softcap: str,
    grouped: bool,
    base: int,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if (cross and causal) or (window and not causal):
        return None
    plain = not window and not softcap
    offsets = ("cu_seqlens_q", "cu_seqlens_k") if cross else ("cu_seqlens",)
    words = [
        *(("causal",) * causal),
        *((f"a window of {window} keys",) * bool(window)),
        *((f"scores capped softly at {float(softcap or 0):.0f}",) * bool(softcap)),
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
        + _with(words[causal:])
        + ".",
        operation_type="attention",
        tags=("attention", "varlen", *(("causal",) * causal), *(("gqa",) * grouped)),
        triton="varlen_attention",
        python=_varlen_in_torch(plain, causal, cross, window, softcap, grouped),
        arguments=tuple(map(Argument, ("q", "k", "v", *offsets, "max_seqlen"))),
        sizes=(
            {"sequences": 1, "longest": 1, "heads": 2, "head_dim": 16},
            {"sequences": 3, "longest": 45, "heads": 4, "head_dim": 32},
            {"sequences": 4, "longest": 100, "heads": 2, "head_dim": 16},
            {"sequences": 2, "longest": 70, "heads": 2, "head_dim": 64},
        ),
        dtypes=dtypes,
        tolerance={dtype: TOLERANCE[dtype] for dtype in dtypes},
        layouts=STRIDED,
        test="prepared",
        values={
            "causal": causal,
            "cross": cross,
            "window": window,
            "softcap": softcap,
            "base": base,
            "wide": "float32" in dtypes,
            "configs": tuple(
                ({"BLOCK_M": m, "BLOCK_N": n}, warps, stages)
                for m, n, warps, stages in ((32, 32, 4, 2), (64, 64, 4, 3), (128, 64, 8, 3))
            ),
            "why": (
                "128 queries and two stages of 64 keys and values take 96 KB of shared memory at",
                "128 features of 16 bits.",
            ),
            "inputs": Preparation(
                lines=(
                    *_lengths("cu_seqlens_q" if cross else "cu_seqlens"),
                    *(_lengths("cu_seqlens_k") if cross else ()),
                    f"q_shape = (int({offsets[0]}[-1]), heads, head_dim)",
                    f"kv_shape = (int({offsets[-1]}[-1]), heads{' // 2' * grouped}, head_dim)",
                    "q = torch.randn(q_shape, generator=generator)",
                    "k = torch.randn(kv_shape, generator=generator)",
                    "v = torch.randn(kv_shape, generator=generator)",
                    "tensors = [laid_out(x.to(dtype)) for x in (q, k, v)]",
                    f"max_seqlen = int({offsets[0]}.diff().max())",
                    "return (*tensors, "
                    + ", ".join(f"{name}.to(device)" for name in offsets)
                    + ", max_seqlen)",
                ),
                timed=(
                    {
                        "sequences": 8, "longest": 2048, "heads": 32, "head_dim": 128,
                        "dtype": "float16",
                    },
                ),
                timed_for="Eight prompts of up to 2,048 tokens for the heads of Llama 3 8B.",
                allowed={
                    "head_dim": [16, 32, 64, 128],
                    **({"heads": {"multiple_of": 2}} if grouped else {}),
                },
            ),
        },
    )  # fmt: skip


def _with(words: list[str]) -> str:
    if not words:
        return ""
    return f" with {' and '.join(filter(None, (', '.join(words[:-1]), words[-1])))}"


def _lengths(name: str) -> tuple[str, ...]:
    return (
        "lengths = torch.randint(1, longest + 1, (sequences,), generator=generator)",
        f"{name} = F.pad(lengths.cumsum(0), (1, 0)).to(torch.int32)".replace(
            "F.pad", "torch.nn.functional.pad"
        ),
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


def _paged(
    form: str,
    layout: str,
    window: int,
    softcap: str,
    alibi: bool,
    stored: str,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if alibi and softcap:
        return None
    cached = stored == "int8"
    words = [
        *((f"a window of {window} keys",) * bool(window)),
        *((f"scores capped softly at {float(softcap or 0):.0f}",) * bool(softcap)),
        *(("ALiBi slopes",) * alibi),
    ]
    cache = "an int8 cache" if cached else "a cache"
    names = (
        "q", "k_cache", "v_cache", *(("k_scale", "v_scale") * cached), "block_tables", "seq_lens",
        *(("alibi_slopes",) * alibi),
    )  # fmt: skip
    axes = (
        "n_pages, page_size, heads // 2" if layout == "slots" else "n_pages, heads // 2, page_size"
    )
    shape = f"({axes}, head_dim)"
    return Sketch(
        entry_point=named(
            "paged",
            "window" * bool(window),
            "softcap" * bool(softcap),
            "alibi" * alibi,
            "int8" * cached,
            "decode",
        ),
        summary=f"Compute attention of one new query a sequence over {cache} in pages"
        + _with(words)
        + ".",
        operation_type="attention",
        tags=("attention", "paged", "decoding", "gqa"),
        triton="paged_decode",
        python=_paged_in_torch(layout, window, softcap, alibi, cached),
        arguments=tuple(map(Argument, names)),
        sizes=(
            {"sequences": 1, "heads": 2, "head_dim": 16, "most_pages": 1, "page_size": 16},
            {"sequences": 3, "heads": 4, "head_dim": 32, "most_pages": 4, "page_size": 16},
            {"sequences": 2, "heads": 8, "head_dim": 64, "most_pages": 9, "page_size": 16},
            {"sequences": 5, "heads": 2, "head_dim": 32, "most_pages": 3, "page_size": 32},
        ),
        dtypes=dtypes,
        tolerance={dtype: TOLERANCE[dtype] for dtype in dtypes},
        layouts=("contiguous",),
        test="prepared",
        values={
            "form": form,
            "layout": layout,
            "window": window,
            "softcap": softcap,
            "alibi": alibi,
            "cached": cached,
            "wide": "float32" in dtypes,
            "inputs": Preparation(
                lines=(
                    "n_pages = sequences * most_pages + 1",
                    "q = torch.randn((sequences, heads, head_dim), generator=generator).to(dtype)",
                    *(
                        (
                            f"cache_shape = {shape}",
                            "k_cache = torch.randint(-127, 128, cache_shape, generator=generator)",
                            "v_cache = torch.randint(-127, 128, cache_shape, generator=generator)",
                            "k_cache, v_cache = k_cache.to(torch.int8), v_cache.to(torch.int8)",
                            "k_scale = torch.rand(cache_shape[:-1], generator=generator) / 64",
                            "v_scale = torch.rand(cache_shape[:-1], generator=generator) / 64",
                        )
                        if cached
                        else (
                            f"cache_shape = {shape}",
                            "k_cache = torch.randn(cache_shape, generator=generator).to(dtype)",
                            "v_cache = torch.randn(cache_shape, generator=generator).to(dtype)",
                        )
                    ),
                    "# The last page belongs to no sequence, as in a cache with free pages.",
                    "block_tables = torch.randperm(n_pages - 1, generator=generator)",
                    "block_tables = block_tables.view(sequences, most_pages).to(torch.int32)",
                    "most = most_pages * page_size",
                    "seq_lens = torch.randint(1, most + 1, (sequences,), generator=generator)",
                    "seq_lens = seq_lens.to(torch.int32)",
                    *(("alibi_slopes = torch.rand((heads,), generator=generator) * 0.2",) * alibi),
                    f"arguments = ({', '.join(names)})",
                    "return tuple(x.to(device) for x in arguments)",
                ),
                timed=(
                    {
                        "sequences": 64, "heads": 32, "head_dim": 128, "most_pages": 128,
                        "page_size": 16, "dtype": "float16",
                    },
                ),
                timed_for="64 sequences of up to 2,048 tokens for the heads of Mistral 7B.",
                allowed={"head_dim": [16, 32, 64, 128], "heads": {"multiple_of": 2}},
                fixed=("page_size",),
            ),
        },
    )  # fmt: skip


def _paged_in_torch(
    layout: str, window: int, softcap: str, alibi: bool, cached: bool
) -> tuple[str, ...]:
    slots = "" if layout == "slots" else ".transpose(1, 2)"
    page_size = f"k_cache.shape[{1 if layout == 'slots' else 2}]"
    body = ["pages = block_tables[i, : (n + page_size - 1) // page_size].long()"]
    for name in ("k", "v"):
        if cached:
            body += [
                f"{name} = {name}_cache[pages].float() * {name}_scale[pages][..., None]",
                f"{name} = {name}{slots}.flatten(0, 1)[:n]",
            ]
        else:
            body += [f"{name} = {name}_cache[pages]{slots}.flatten(0, 1)[:n].float()"]
    body += [
        "k, v = (x.repeat_interleave(group, dim=1) for x in (k, v))",
        'scores = torch.einsum("hd,nhd->hn", q[i].float(), k) * q.shape[-1] ** -0.5',
    ]
    if softcap:
        body += [f"scores = {softcap} * torch.tanh(scores / {softcap})"]
    if alibi or window:
        body += ["distance = n - 1 - torch.arange(n, device=q.device)"]
    if alibi:
        body += ["scores = scores - alibi_slopes[:, None] * distance"]
    if window:
        body += [f'scores = scores.masked_fill(distance >= {window}, float("-inf"))']
    body += [
        "weights = F.softmax(scores, dim=-1)",
        'out[i] = torch.einsum("hn,nhd->hd", weights, v).to(q.dtype)',
    ]
    return (
        "out = torch.empty_like(q)",
        f"page_size = {page_size}",
        f"group = q.shape[1] // k_cache.shape[{2 if layout == 'slots' else 1}]",
        "for i, n in enumerate(seq_lens.tolist()):",
        *(f"    {line}" for line in body),
        "return out",
    )


ATTENTION_RECIPES = (
    Recipe(
        "varlen-attention",
        _varlen,
        {
            "causal": (False, True),
            "cross": (False, True),
            "window": (0, 16, 32),
            "softcap": ("", "30.0", "50.0"),
            "grouped": (False, True),
            "base": (2, 1),
            "dtypes": (("float16",), ("float16", "float32")),
        },
    ),
    Recipe(
        "paged-decode",
        _paged,
        {
            "form": ("group", "head", "split"),
            "layout": ("slots", "heads"),
            "window": (0, 32, 64),
            "softcap": ("", "30.0", "50.0"),
            "alibi": (False, True),
            "stored": ("same", "int8"),
            "dtypes": (("float16",), ("float16", "float32")),
        },
    ),
)
