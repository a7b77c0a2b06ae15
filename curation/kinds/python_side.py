"""Operation type of a pair, by the torch calls and the names in its Python code."""

from __future__ import annotations

import re
from collections.abc import Collection

from curation.similarity.tree import ParseTimeout, captures, is_rubble, parse, text_of

PRODUCTS = frozenset(
    {"matmul", "mm", "bmm", "addmm", "baddbmm", "addbmm", "einsum", "linear", "Linear", "mv", "@"}
)
CALLS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("attention", re.compile(r"scaled_dot_product_attention|flex_attention|multi_head_attention")),
    ("loss", re.compile(r"\w*(?:_loss|Loss)|(?:binary_)?cross_entropy\w*|kl_div")),
    ("convolution", re.compile(r"conv(?:_transpose)?\d?d|Conv(?:Transpose)?\d?d|convolution")),
    (
        "normalization",
        re.compile(r"(?:layer|rms|group|batch|instance)_?norm(?:\dd)?|normalize|var_mean", re.I),
    ),
    ("matmul", re.compile("|".join(map(re.escape, sorted(PRODUCTS))))),
    ("softmax", re.compile(r"(?:log_)?softmax|Softmax")),
    ("sort", re.compile(r"sort|argsort|msort|topk|kthvalue")),
    ("scan", re.compile(r"cum(?:sum|prod|max|min)|logcumsumexp|associative_scan")),
    ("random", re.compile(r"rand(?:n|int)?(?:_like)?|dropout|Dropout|bernoulli|multinomial")),
    (
        "gather-scatter",
        re.compile(
            r"embedding|Embedding|gather|index_(?:select|add_?|copy_?|put_?)|scatter\w*"
            r"|take_along_dim"
        ),
    ),
    (
        "reduction",
        re.compile(
            r"sum|mean|amax|amin|max|min|prod|var|std|norm|argmax|argmin|any|all|logsumexp"
            r"|(?:adaptive_)?(?:avg|max)_pool\dd"
        ),
    ),
)
"""Patterns of the last part of a called name, by type. The first matching row gives the type."""
WEAK = frozenset({"reduction"})
"""Types that the kernel's type may refine, because a torch reference sums for many reasons."""

NAMES: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    ("matmul", re.compile(r"(?:^|_)moe(?:_|$)|expert"), CALLS[4][1]),
    (
        "attention",
        re.compile(r"attn|attention|sdpa|(?:^|_)(?:mha|gqa|mla|nsa|gla)(?:_|$)"),
        re.compile(r"@|\w*matmul|bmm|einsum|mul|sum|softmax"),
    ),
    (
        "loss",
        re.compile(r"loss|entropy|kl_?div|jsd|nll|(?:^|_)(?:ce|tvd|grpo|dpo)(?:_|$)"),
        re.compile(r"log\w*|exp|sum|mean|abs|softmax"),
    ),
    ("other", re.compile(r"rope|rotary|rotate"), re.compile(r"cat|stack|chunk|\w+")),
    (
        "normalization",
        re.compile(r"norm(?!al)|sinkhorn"),
        re.compile(r"r?sqrt|mean|var|std|sum|pow|square"),
    ),
    ("softmax", re.compile(r"softmax|sparsemax"), re.compile(r"exp|sum|sort|max|\w*softmax")),
    (
        "optimizer",
        re.compile(r"(?:^|_)(?:adamw?|sgd|lion|adagrad|rmsprop|optimi[sz]er)(?:_|$)"),
        re.compile(r"\w+"),
    ),
    (
        "quantization",
        re.compile(r"quanti[sz]"),
        re.compile(r"to|round|clamp|amax|int8|abs|view"),
    ),
)
"""For each type, names that indicate it, and calls of which one must occur too."""


def python_operation(entry_point: str, python_code: str) -> str | None:
    """Return the operation type, or None if the Python code does not show one."""
    try:
        root = parse(python_code)
    except ParseTimeout:
        return None
    if is_rubble(root):
        return None
    calls = [
        text_of(node.named_children[-1] if node.type == "attribute" else node)
        for node in captures("(call function: (_) @called)", root).get("called", ())
    ]
    operators = captures('(binary_operator operator: "@" @operator)', root).get("operator", ())
    defined = captures(
        "(function_definition name: (identifier) @name)"
        " (class_definition name: (identifier) @name)",
        root,
    ).get("name", ())
    names = " ".join([entry_point, *map(text_of, defined)])
    return operation_of([*calls, *("@" for _ in operators)], names)


def operation_of(calls: Collection[str], names: str = "") -> str | None:
    """Return the operation type by the last parts of called names and by the defined names."""
    words = [re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() for name in names.split()]
    direct = next((kind for kind, pattern in CALLS if _any(pattern, calls)), None)
    if direct in {"attention", "loss", "convolution"}:
        return direct
    for kind, named, beside in NAMES:
        if any(map(named.search, words)) and _any(beside, calls):
            return kind
    products = sum(call in PRODUCTS for call in calls)
    if products >= 2 and _any(CALLS[5][1], calls):
        return "attention"
    if "rsqrt" in calls and {"mean", "sum", "var"} & set(calls):
        return "normalization"
    return direct


def _any(pattern: re.Pattern[str], calls: Collection[str]) -> bool:
    return any(map(pattern.fullmatch, calls))
