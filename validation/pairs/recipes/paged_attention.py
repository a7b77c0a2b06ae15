"""Attention of one new query per sequence over keys and values in a paged cache."""

from __future__ import annotations

from validation.pairs.recipes.choices import listed, named
from validation.pairs.recipes.prepared import Preparation
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch


def _paged(
    form: str, layout: str, window: int, softcap: str, alibi: bool, stored: str, **_: object
) -> Sketch | None:
    # A window has too few keys to split.
    if (alibi and softcap) or (window and form == "split"):
        return None
    cached = stored == "int8"
    words = [
        *((f"a sliding window of {window} keys",) * bool(window)),
        *((f"scores soft-capped at {float(softcap or 0):.0f}",) * bool(softcap)),
        *(("ALiBi slopes",) * alibi),
    ]
    cache = "a paged int8 cache" if cached else "a paged cache"
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
        summary=f"Compute attention of one new query per sequence over {cache}"
        + listed(words, " with ")
        + ".",
        operation_type="attention",
        tags=("attention", "paged", "decoding", "gqa"),
        triton="paged_decode",
        python=_paged_in_torch(layout, window, softcap, alibi, cached),
        arguments=tuple(map(Argument, names)),
        sizes=(
            {"sequences": 1, "heads": 2, "head_dim": 16, "most_pages": 1, "page_size": 16},
            {"sequences": 3, "heads": 4, "head_dim": 32, "most_pages": 4, "page_size": 16},
            {"sequences": 2, "heads": 4, "head_dim": 64, "most_pages": 9, "page_size": 16},
            {"sequences": 5, "heads": 2, "head_dim": 32, "most_pages": 3, "page_size": 32},
            {"sequences": 3, "heads": 2, "head_dim": 16, "most_pages": 40, "page_size": 32},
        ),
        layouts=("contiguous",),
        values={
            "cached": cached,
            },
        perf=(
                    {
                        "sequences": 16, "heads": 32, "head_dim": 128, "most_pages": 128,
                        "page_size": 16, "dtype": "float16",
                    },
                ),
        inputs=Preparation(
                lines=(
                    "n_pages = sequences * most_pages + 1",
                    "q = torch.randn((sequences, heads, head_dim), generator=generator).to(dtype)",
                    *(("# Scores near the cap, so it counts.", "q = 20.0 * q") * bool(softcap)),
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
                    "if sequences > 1:",
                    "    # A batch may be padded with empty sequences.",
                    "    seq_lens[-1] = 0",
                    *(("alibi_slopes = torch.rand((heads,), generator=generator) * 0.2",) * alibi),
                    f"arguments = ({', '.join(names)})",
                    "return tuple(x.to(device) for x in arguments)",
                ),
                timed_for="16 sequences of up to 2,048 tokens for the heads of Gemma 2 27B.",
                allowed={"head_dim": [16, 32, 64, 128], "heads": {"multiple_of": 2}},
                fixed=("page_size",),
            ),
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


PAGED_ATTENTION_RECIPES = (
    Recipe(
        "paged-decode",
        _paged,
        form=("group", "head", "split"),
        layout=("slots", "heads"),
        window=(0, 128),
        softcap=("", "30.0", "50.0"),
        alibi=(False, True),
        stored=("same", "int8"),
        dtypes=(("float16",), ("float16", "float32")),
    ),
)
