"""Signs that the rules of operation types use: patterns of names, and predicates of a kernel."""

from __future__ import annotations

import re
from typing import Literal

from tree_sitter import Node

from curation.kinds.dataflow import CHAIN, identifiers
from curation.kinds.reading import Call, Evidence, Reading, name_of, seen
from ingest.extract.syntax import captures, text_of

Operation = Literal[
    "element-wise",
    "reduction",
    "normalization",
    "softmax",
    "matmul",
    "attention",
    "convolution",
    "scan",
    "sort",
    "gather-scatter",
    "quantization",
    "loss",
    "optimizer",
    "random",
    "other",
]

ATTENTION = re.compile(
    r"attn|attention|flash|sdpa|retention|rebased|(?:^|_)(?:mha|gqa|mla|nsa|gla)(?:_|$)"
    r"|neighbou?rhood_(?:qk|av|grad)"
)
DECODING = re.compile(r"decod|(?:^|_)lse(?:_|$)")
CONVOLUTION = re.compile(r"conv(?!ert)(?:\d?d|olution|_|$)")
POOL = re.compile(r"pool")
LOSS = re.compile(
    r"loss|entropy|kl_?div|jsd|nll|(?:^|_)(?:ce|kl)(?:_|$)|tvd?(?:_|$)|grpo|dpo|ppo|kto|orpo", re.I
)
TARGET = re.compile(r"target|label|loss|y_true|truth|ref_log|log_?prob|advantage", re.I)
QUANTIZE = re.compile(r"quant|fp8|int8|int4|mxfp|nvfp|pack")
MATMUL = re.compile(r"matmul|gemm|gemv|matvec|linear|_mv|mm_|addmv")
SORT = re.compile(r"sort|top_?k")
SCAN = re.compile(r"scan|cum(?:sum|prod|max|min)|recurren|lru|ssm")
SOFTMAX = re.compile(r"softmax|sparsemax|logsumexp|log_sum_exp")
NORM = re.compile(r"norm|_ln_|^ln_|_rms|var_mean|batch_?stat|groupnorm")
VECTOR_NORM = re.compile(r"l[12]_?norm_kernel|vector_norm|_norm_kernel_[12]")
GATHER = re.compile(r"gather|scatter|index|embedding|select|copy|slot|cache")
LSE = re.compile(r"(?:^|_)(?:lse|l_?ptr|m_?ptr|delta|logsumexp)(?:_|$)|^(?:L|M|LSE|Lse|D|Delta)$")
WINDOW = re.compile(
    r"padding|dilation|pad_[hw]$|kernel_?(?:h|w|size|height|width)$|^K_?[HW]$|filter_?(?:h|w|size)$",
    re.IGNORECASE,
)
STEP = re.compile(
    # `momentum` is not a sign, because the running mean of a batch norm has one too.
    r"lr|learning_rate|step_size|beta_?[12]|weight_decay|wd|bias_correction\d?"
)
AVERAGE = re.compile(r"\b(\w++) \* (\w++) \+ \(1(?:\.0)? - (?:\1|\2)\) \*")
SCALE = re.compile(r"scale|inv_s|absmax|amax|max_abs|zero|zp|(?:^|_)s_ptr", re.I)
NARROW = re.compile(r"int8|uint8|float8|fp8|int4|e4m3|e5m2|FP8|fp4|QUANT|quant")
PRODUCT = re.compile(r"\w\]?\)? \* ")
DIVISION = re.compile(r"/(?!/)|tl\.log|fdiv|div_rn|\.log\(")
STATISTIC = re.compile(
    r"(?:^|_)(?:rstd|mean|inv_var|inv_std|invstd|rms|var|variance|rrms|rvar|r_?norm)(?:$|_|s$)",
    re.I,
)
EPSILON = re.compile(r"\+ ?\(?[\w.]*eps|\+ 1e-0?\d|\+ 1\.0*e-0?\d", re.I)
ACCUMULATES = re.compile(r"\b(\w++) = (?:\1 \+|tl\.(?:maximum|minimum)\(\1)|\+=")

RANDOM = (
    *("tl.rand", "tl.randn", "tl.randint", "tl.rand4x", "tl.randn4x", "tl.randint4x"),
    *("tl.philox", "tl.uint_to_uniform_float", "tl.randint64"),
)
LAYOUTS = frozenset({"to", "trans", "reshape", "permute", "view", "broadcast_to"})


def shown(says: Operation, rule: str, *calls: Call) -> list[Evidence]:
    return [seen(says, rule, call) for call in calls]


def is_called(reading: Reading, pattern: re.Pattern[str]) -> bool:
    return pattern.search(reading.name.lower()) is not None


def is_about(reading: Reading, pattern: re.Pattern[str]) -> bool:
    """Return whether the name of the kernel, of its file or of its launcher matches."""
    return is_called(reading, pattern) or pattern.search(reading.place.lower()) is not None


def named_by(reading: Reading, pattern: re.Pattern[str]) -> str:
    return "a kernel so named" if is_called(reading, pattern) else "a file or launcher so named"


def has_parameter(reading: Reading, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(parameter) for parameter in reading.parameters)


def has_attention_names(reading: Reading) -> bool:
    """Return whether parameters are named like queries, keys and values.

    Two of the three are enough, as in backward kernels and linear attentions.
    """
    names = plain_parameters(reading)
    queries = {"q", "query", "dq", "q_nope", "q_rope"} & names
    keys = {"k", "key", "k_cache", "key_cache", "dk", "k_buffer", "kv", "kv_cache"} & names
    values = {"v", "value", "v_cache", "value_cache", "dv", "v_buffer", "do", "v_new"} & names
    return bool(queries and keys) or bool(keys and values) or bool(queries and values)


def plain_parameters(reading: Reading) -> set[str]:
    """Return the parameter names in lower case, without parts such as `_ptr` and `desc_`."""
    return {
        re.sub(r"^desc_|_?(?:ptr|desc|block_ptr)s?$", "", p.lower()) for p in reading.parameters
    }


def local_names(reading: Reading) -> list[str]:
    if reading.kernel is None:
        return []
    nodes = captures("(assignment left: (identifier) @name)", reading.kernel)
    return sorted({text_of(node) for node in nodes.get("name", ())})


def source(reading: Reading) -> str:
    return "\n".join(text_of(function) for function in reading.functions)


def is_moved(value: Node, values: dict[str, list[Node]]) -> bool:
    """Return whether an expression is a load. It may be converted, reshaped or transposed."""
    node: Node | None = value
    for _ in range(CHAIN):
        if node is None:
            return False
        if node.type == "identifier":
            assigned = values.get(text_of(node), [])
            if len(assigned) != 1:
                return False
            node = assigned[0]
        elif node.type == "attribute":
            node = node.child_by_field_name("object")
        elif node.type == "call":
            function_parts = (node.child_by_field_name("function") or node).named_children
            name = text_of(function_parts[-1]) if function_parts else ""
            if name in {"load", "load_tensor_descriptor"}:
                return True
            if name not in LAYOUTS:
                return False
            arguments = node.child_by_field_name("arguments")
            on_value = text_of(function_parts[0]) not in {"tl", "triton.language"}
            node = (
                function_parts[0]
                if on_value
                else arguments.named_children[0]
                if arguments
                else None
            )
        else:
            return False
    return False


def written_references(kernel: Node, reading: Reading) -> list[Evidence]:
    """Return the values that a Pallas kernel writes into a reference: `o_ref[...] = …`."""
    pattern = "(assignment left: (subscript value: (identifier) @name)) @written"
    nodes = captures(pattern, kernel)
    if not any(text_of(node) in reading.parameters for node in nodes.get("name", ())):
        return []
    first = nodes["written"][0]
    text = " ".join(text_of(first).split())[:160]
    return [Evidence("element-wise", "each value by itself", first.start_point.row + 1, text)]


def draws(reading: Reading) -> list[Call]:
    """Return the calls that draw random numbers, if drawing is the kernel's purpose.

    It is if the kernel itself draws, or if each function that it calls draws. Otherwise the draws
    are a part of another operation, such as an activation with a dropout.
    """
    calls = reading.named(*RANDOM)
    own = {call.name for call in reading.calls if _is_in(call, reading.kernel)}
    called = [function for function in reading.functions[1:] if name_of(function) in own]
    draw = [any(_is_in(call, function) for call in calls) for function in called]
    return calls if own.intersection(RANDOM) or (draw and all(draw)) else []


def _is_in(call: Call, function: Node | None) -> bool:
    return bool(function and function.start_byte <= call.node.start_byte < function.end_byte)


def returned(reading: Reading) -> list[Evidence]:
    """Match a helper that makes no calls and returns an expression of its arguments."""
    if reading.kernel is None or re.search(r"pid|swizzle|offset|ptr", source(reading)):
        return []
    for node in captures("(return_statement (_) @value)", reading.kernel).get("value", ()):
        if identifiers(node):
            text = " ".join(text_of(node).split())[:160]
            line = node.start_point.row + 1
            return [Evidence("element-wise", "a function of its arguments", line, text)]
    return []
