"""Mixture of experts: routing of tokens, their permutation, and matrix products for each expert."""

from __future__ import annotations

from validation.pairs.recipes.activations import ACTIVATIONS, IDENTITY, Activation
from validation.pairs.recipes.choices import named
from validation.pairs.recipes.prepared import EXACT_PRODUCTS, Preparation, returned
from validation.pairs.recipes.recipe import Recipe
from validation.pairs.recipes.sketch import Argument, Sketch

DTYPES = (("float32",), ("bfloat16", "float32"), ("float16", "float32"))
SCORES = {
    "softmax": "weights normalized over the chosen experts",
    "softmax_all": "softmax weights over all experts",
    "sigmoid": "normalized sigmoid weights",
}


def _routing(score: str, top_k: int, factor: bool, index: str, wide: bool, **_: object) -> Sketch:
    ordered = "logits.float().sort(dim=-1, descending=True, stable=True)"
    chosen = (
        f"ordered, order = {ordered}",
        "chosen, experts = ordered[:, :top_k], order[:, :top_k]",
    )
    lines = {
        "softmax": (*chosen, "weights = F.softmax(chosen, dim=-1)"),
        "softmax_all": (
            f"experts = {ordered}.indices[:, :top_k]",
            "weights = F.softmax(logits.float(), dim=-1).gather(-1, experts)",
        ),
        "sigmoid": (
            *chosen,
            "weights = torch.sigmoid(chosen)",
            "weights = weights / (weights.sum(dim=-1, keepdim=True) + 1e-20)",
        ),
    }[score]
    scaled = " * factor" if factor else ""
    cast = "" if wide else ".to(logits.dtype)"
    result = f"({f'weights{scaled}'}){cast}" if scaled and cast else f"weights{scaled}{cast}"
    long = "" if index == "int64" else ".to(torch.int32)"
    return Sketch(
        entry_point=named(score, "scaled" * factor, "routing"),
        summary=f"Take the {top_k} experts with the largest logits for each token, with "
        + SCORES[score]
        + (" times a factor." if factor else "."),
        operation_type="sort",
        tags=("mixture-of-experts", "routing", "top-k"),
        triton="moe_routing",
        python=(
            *lines,
            f"return {result}, experts{long}",
        ),
        arguments=(
            Argument("logits"),
            Argument("top_k", default=str(top_k)),
            *((Argument("factor", default="2.5"),) * factor),
        ),
        sizes=(
            {"tokens": 1, "experts": top_k},
            {"tokens": 5, "experts": top_k + 3},
            {"tokens": 37, "experts": 64},
            {"tokens": 20, "experts": 160},
        ),
        outputs=2,
        values={
            "weights_dtype": "torch.float32" if wide else "logits.dtype",
            "configs": (({"BLOCK_M": 4}, 2, 1), ({"BLOCK_M": 8}, 4, 1), ({"BLOCK_M": 32}, 4, 1)),
            "why": (
                "A row has at most some hundred logits, so a program takes several tokens. More",
                "than 32 would need too many registers for 256 experts.",
            ),
        },
        perf=({"tokens": 8192, "experts": 256 if top_k == 8 else 64, "dtype": "float32"},),
        inputs=Preparation(
            lines=(
                "logits = torch.randn((tokens, experts), generator=generator).to(dtype)",
                f"return laid_out(logits), {top_k}{', 2.5' * factor}",
            ),
            timed_for="Router logits for 8,192 tokens, with as many experts as DeepSeek has.",
            allowed={"experts": {"min": top_k, "max": 512}},
        ),
    )


def _permute(
    direction: str,
    weighted: bool,
    shared: bool,
    walk: str,
    top_k: int,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if shared and direction == "permute":
        return None
    permutes = direction == "permute"
    wide = dtypes == ("float32",)
    names = ("x", "index", *(("weights",) * weighted), *(("shared",) * shared))
    if permutes:
        summary = "Gather the rows of tokens in the order of their experts"
        summary += ", times the routing weights" if weighted else ""
        python: tuple[str, ...] = (
            ("return x[index // top_k]",)
            if not weighted
            else (
                "rows = x[index // top_k].float() * weights[index].float()[:, None]",
                "return rows.to(x.dtype)",
            )
        )
    else:
        summary = "Add up the outputs of the experts for each token"
        summary += ", times the routing weights" if weighted else ""
        summary += ", and the output of a shared expert" if shared else ""
        widened = "x[index]" if wide else "x[index].float()"
        factor = " * weights[:, None]" if wide else " * weights.float()[:, None]"
        result = "out + shared" if wide else "out + shared.float()"
        ending = result if shared else "out"
        python = (
            f"rows = {widened}{factor if weighted else ''}",
            "out = rows.unflatten(0, (-1, top_k)).sum(dim=1)",
            f"return {ending}"
            if wide
            else f"return ({ending}).to(x.dtype)".replace("(out)", "out"),
        )
    return Sketch(
        entry_point=named(
            "weighted" * weighted, "moe", direction, "shared" * shared
        ),
        summary=f"{summary}.",
        operation_type="gather-scatter",
        tags=("mixture-of-experts", "permutation" if permutes else "combination"),
        triton="moe_permute",
        python=python,
        arguments=(*map(Argument, names), Argument("top_k", default=str(top_k))),
        sizes=(
            {"tokens": 1, "features": 1},
            {"tokens": 5, "features": 127},
            {"tokens": 37, "features": 300},
            {"tokens": 64, "features": 32},
        ),
        values={
            "configs": (
                ({"BLOCK_M": 4, "BLOCK_N": 128}, 4, 1),
                ({"BLOCK_M": 8, "BLOCK_N": 256}, 4, 1),
                ({"BLOCK_M": 16, "BLOCK_N": 256}, 8, 1),
            )
            if walk == "tile"
            else (
                ({"BLOCK_N": 256}, 2, 1), ({"BLOCK_N": 1024}, 4, 1), ({"BLOCK_N": 2048}, 8, 1)
            ),
            "why": ("Rows are far apart, but each is contiguous: wide blocks keep loads whole.",),
            },
        perf=({"tokens": 2048, "features": 4096, "dtype": "bfloat16"},),
        inputs=Preparation(
                lines=(
                    f"copies = tokens * {top_k}",
                    f"shape = ({'tokens' if permutes else 'copies'}, features)",
                    "x = torch.randn(shape, generator=generator)",
                    "# The order of the copies by expert, or where each copy is in that order.",
                    "index = torch.randperm(copies, generator=generator)",
                    *(("weights = torch.rand((copies,), generator=generator)",) * weighted),
                    *(
                        ("shared = torch.randn((tokens, features), generator=generator)",)
                        * shared
                    ),
                    returned(
                        "laid_out(x.to(dtype))", "index.to(device)",
                        *(("weights.to(dtype).to(device)",) * weighted),
                        *(("laid_out(shared.to(dtype))",) * shared),
                        str(top_k),
                    ),
                ),
                timed_for="Hidden states of Mixtral 8x7B for 2,048 tokens.",
            ),
    )  # fmt: skip


def _matmul(
    gathered: bool,
    routed: bool,
    gated: bool,
    layout: str,
    activation: Activation,
    dtypes: tuple[str, ...],
) -> Sketch | None:
    if gated and activation is IDENTITY:
        return None
    names = (
        "x", "weight", "expert_offsets", *(("token_ids",) * gathered), *(("routing",) * routed),
    )  # fmt: skip
    source = "x[token_ids[start:end]]" if gathered else "x[start:end]"
    product = f"F.linear({source}, matrix)" if layout == "nk" else f"{source} @ matrix"
    called = activation.torch or "out"
    result = f"{called.replace('out', 'gate')} * up" if gated else called
    body = [
        f"gate, up = ({product}).chunk(2, dim=-1)" if gated else f"out = {product}",
    ]
    if routed:
        body += [f"rows += [({result}) * routing[start:end, None]]"]
    else:
        body += [f"rows += [{result}]"]
    body += ["start = end"]
    steps = [
        *((f"apply {activation.phrase}",) if activation.name and not gated else ()),
        *((f"multiply {activation.phrase} of the first half by the second",) * gated),
        *(("weigh each row",) * routed),
    ]
    what = "tokens, gathered by index," if gathered else "rows that are sorted by expert"
    return Sketch(
        entry_point=named("moe", "gathered" * gathered, "gated" * gated, "matmul", activation.name),
        summary=f"Multiply {what} by the matrix of their expert"
        + (f", then {' and '.join(steps)}" if steps else "")
        + ".",
        operation_type="matmul",
        tags=("matmul", "mixture-of-experts", "grouped"),
        triton="moe_matmul",
        python=(
            "rows = []",
            "start, *ends = expert_offsets.tolist()",
            "for matrix, end in zip(weight, ends):",
            *(f"    {line}" for line in body),
            "return torch.cat(rows)",
        ),
        arguments=tuple(map(Argument, names)),
        sizes=(
            {"experts": 1, "tokens": 1, "n": 2, "k": 16},
            {"experts": 4, "tokens": 50, "n": 62, "k": 40},
            {"experts": 8, "tokens": 37, "n": 158, "k": 70},
        ),
        tolerance={"float16": (4e-3, 4e-3), "float32": (1e-4, 1e-4)},
        values={
            "configs": (
                ({"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
                ({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
            )
            if "float32" in dtypes
            else (
                ({"BLOCK_M": 16, "BLOCK_N": 64, "BLOCK_K": 32}, 4, 3),
                ({"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}, 4, 3),
                ({"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 32}, 8, 3),
            ),
            "why": (EXACT_PRODUCTS,)
            if "float32" in dtypes
            else (
                "An expert may have few rows, whose tile is then mostly empty: BLOCK_M of 16 for",
                "decoding, larger ones for a prefill.",
            ),
            },
        perf=({"experts": 60, "tokens": 4096, "n": 2816, "k": 2048, "dtype": "float16"},),
        inputs=Preparation(
                lines=(
                    "# Some experts have no token at all.",
                    "experts_of = torch.randint(0, experts, (tokens,), generator=generator)",
                    "counts = torch.bincount(experts_of, minlength=experts)",
                    "expert_offsets = torch.nn.functional.pad(counts.cumsum(0), (1, 0))",
                    "expert_offsets = expert_offsets.to(torch.int32)",
                    "x = torch.randn((tokens, k), generator=generator) / k**0.5",
                    f"shape = {'(experts, n, k)' if layout == 'nk' else '(experts, k, n)'}",
                    "weight = torch.randn(shape, generator=generator).to(dtype)",
                    *(("token_ids = experts_of.argsort()",) * gathered),
                    *(
                        ("routing = torch.rand((tokens,), generator=generator).to(dtype)",)
                        * routed
                    ),
                    returned(
                        "laid_out(x.to(dtype))", "laid_out(weight)", "expert_offsets.to(device)",
                        *(f"{name}.to(device)" for name in names[3:]),
                    ),
                ),
                timed_for="The experts of Qwen1.5-MoE for 4,096 rows.",
                allowed={"n": {"multiple_of": 2}},
            ),
    )  # fmt: skip


ROUTING_RECIPES = (
    Recipe(
        "moe-routing",
        _routing,
        score=("softmax", "softmax_all", "sigmoid"),
        select=("argmax", "keys"),
        top_k=(2, 4, 6, 8),
        factor=(False, True),
        index=("int64", "int32"),
        wide=(True, False),
        dtypes=DTYPES,
    ),
    Recipe(
        "moe-permute",
        _permute,
        direction=("permute", "combine"),
        weighted=(False, True),
        shared=(False, True),
        walk=("row", "tile"),
        top_k=(2, 4, 6, 8),
        dtypes=DTYPES,
    ),
    Recipe(
        "moe-matmul",
        _matmul,
        gathered=(False, True),
        routed=(False, True),
        gated=(False, True),
        layout=("nk", "kn"),
        activation=ACTIVATIONS,
        dtypes=(("float16",), ("float32",)),
    ),
)
