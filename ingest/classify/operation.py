"""The operation type of a kernel: the first rule that matches decides.

Calls decide. Names of functions, parameters, the file and the launcher only tell apart kernels that
call the same things: a rule asks for them beside a structural condition, never without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Literal

from tree_sitter import Node

from curation.kinds.calls import EXPONENTIALS, MAXIMA, REDUCTIONS, SCANS, SORTS, SUMS
from curation.kinds.dataflow import (
    ASSIGNMENTS,
    ATOMICS,
    CHAIN,
    LOADS,
    STORES,
    Flow,
    identifiers,
)
from curation.kinds.difficulty import NETWORK, ROTARY, rotation
from curation.kinds.difficulty import carried as carried_names
from curation.kinds.evidence import Evidence, seen
from curation.kinds.reading import Call, Reading
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
Found = Sequence[Evidence]

RANDOM = (
    *("tl.rand", "tl.randn", "tl.randint", "tl.rand4x", "tl.randn4x", "tl.randint4x"),
    *("tl.philox", "tl.uint_to_uniform_float", "tl.randint64"),
)
ROOTS = ("tl.sqrt", "tl.rsqrt", "tl.sqrt_rn")
LOGARITHMS = ("tl.log", "tl.log2", "tl.log1p")


def operation(reading: Reading, flow: Flow) -> tuple[Operation, tuple[Evidence, ...]]:
    for name, rule in RULES:
        found = rule(reading, flow)
        if found:
            return name, tuple(found)
    return "other", ()


def attention(reading: Reading, _: Flow) -> Found:
    """Scores times values: two products with a softmax between them, or a decay instead of one.

    A kernel of one step of it (scores, weights times values, their gradients) counts too.
    """
    dots = reading.named("tl.dot")
    exponentials = reading.named(*EXPONENTIALS)
    row_maxima = reading.named("tl.max", ".max")
    if len(dots) >= 2 and exponentials and (row_maxima or _has(reading, LSE)):
        return _all("attention", "two products around a softmax", dots[0], dots[1], exponentials[0])
    if dots and _has_attention_names(reading):
        return _all("attention", "a product of queries, keys or values", dots[0])
    if dots and (_is_about(reading, ATTENTION) or _is_called(reading, DECODING)):
        return _all("attention", f"a product in {_named_by(reading, ATTENTION)}", dots[0])
    sums = reading.named(*SUMS)
    by_hand = [call for call in sums if call.in_loop]
    called = _is_called(reading, ATTENTION) or _is_called(reading, DECODING)
    maxima = reading.named(*MAXIMA)
    if len(by_hand) >= 2 and exponentials and maxima and called:
        return _all("attention", "an online softmax over products", by_hand[0], exponentials[0])
    if sums and _has_attention_names(reading) and (by_hand or called):
        return _all("attention", "a product of queries, keys or values by hand", sums[0])
    if by_hand and _is_called(reading, ATTENTION):
        return _all("attention", "products by hand in a kernel named after attention", by_hand[0])
    names = _plain_parameters(reading)
    if sums and names & {"o", "out"} and names & {"do", "dout"} and "delta" in names:
        return _all("attention", "row sums of the output times its gradient", sums[0])
    combines = exponentials and called and (_has(reading, LSE) or maxima)
    return _all("attention", "joins partial softmaxes", exponentials[0]) if combines else ()


def rotary(reading: Reading, _: Flow) -> Found:
    """A rotary embedding turns pairs of values by angles; the vocabulary has no word for it."""
    if reading.named("tl.dot", *SUMS):
        return ()
    turned = rotation(reading)
    if turned:
        node = turned[0]
        text = " ".join(text_of(node).split())[:160]
        return [Evidence("other", "pairs turned by an angle", node.start_point.row + 1, text)]
    stores, loads = reading.named(*STORES), reading.named(*LOADS)
    named = ROTARY.search(reading.name.lower()) and len(loads) >= 2
    return _all("other", "a rotary embedding by its name", stores[0]) if named and stores else ()


def convolution(reading: Reading, _: Flow) -> Found:
    """A window slides: products summed over taps, with a stride, a padding or a width."""
    taps = [p for p in (*reading.parameters, *_locals(reading)) if WINDOW.search(p)]
    sliding = reading.named("tl.dot") or [c for c in reading.named(*LOADS) if c.in_loop]
    named = _is_called(reading, CONVOLUTION)
    sliding = sliding or (reading.named(*SUMS) if named else [])
    if not sliding or _is_called(reading, POOL) or not (named or len(taps) >= 2):
        return ()
    rule = f"products over a window ({', '.join(taps[:3])})" if taps else "products over neighbours"
    return _all("convolution", rule, sliding[0])


def optimizer(reading: Reading, flow: Flow) -> Found:
    """A parameter and its moments, read and written in place by a step of some length."""
    names = {p.lower().strip("_") for p in reading.parameters}
    steps = [name for name in names if STEP.fullmatch(name)]
    stores = reading.named(*STORES)
    averages = AVERAGE.search(text_of(reading.kernel)) if reading.kernel is not None else None
    several = len(flow.in_place) >= 2 or len(steps) >= 2 or averages
    if not (flow.in_place and steps and several) or reading.named("tl.dot"):
        return ()
    return _all("optimizer", f"updates {', '.join(sorted(flow.in_place))} in place", stores[0])


def loss(reading: Reading, flow: Flow) -> Found:
    """A distance to a target: a parameter by its name, or the logit that a label names."""
    targets = [p for p in reading.parameters if TARGET.search(p)]
    computed = reading.named(*LOGARITHMS, *EXPONENTIALS, "tl.abs", *SUMS)
    if targets and (any(map(LOSS.search, targets)) or _is_about(reading, LOSS)):
        calls = computed or reading.named(*LOADS)
        return _all("loss", f"compares with {', '.join(targets[:2])}", calls[0]) if calls else ()
    if computed and reading.named(*STORES) and _is_called(reading, LOSS):
        return _all("loss", "a loss by its name", computed[0])
    logarithms, exponentials = reading.named(*LOGARITHMS), reading.named(*EXPONENTIALS)
    sampled = flow.sampled and not _dots(reading)
    if sampled and logarithms and exponentials and reading.named(*SUMS):
        label = flow.indirect[0]
        return _all("loss", "a label's logit and a log-sum-exp", label, logarithms[0])
    return ()


def quantization(reading: Reading, _: Flow) -> Found:
    """Numbers scaled into few bits, or back; a product in between is a matmul."""
    if reading.named("tl.dot"):
        return ()
    scales = [p for p in (*reading.parameters, *_locals(reading)) if SCALE.search(p)]
    casts = [c for c in reading.named(".to", "tl.cast") if NARROW.search(c.text)]
    to_element = [c for c in reading.named(".to") if "element_ty" in c.text]
    clamps = reading.named("tl.clamp", "tl.clip", *MAXIMA, "tl.minimum", "tl.min")
    if scales and casts:
        return _all("quantization", f"a cast to few bits with {scales[0]}", casts[0])
    named = _is_called(reading, QUANTIZE)
    if named and scales and (to_element or reading.named(*STORES)):
        calls = [*clamps, *to_element, *reading.named(*STORES)]
        return _all("quantization", f"values scaled by {scales[0]}", calls[0])
    return _all("quantization", "a cast to few bits", casts[0]) if named and casts else ()


def matmul(reading: Reading, _: Flow) -> Found:
    dots = reading.named("tl.dot")
    if dots:
        return _all("matmul", "a product of blocks", *dots[:2])
    by_hand = [c for c in reading.named("tl.sum") if c.in_loop and PRODUCT.search(c.text)]
    broadcast = [c for c in by_hand if "[None" in c.text or _is_called(reading, MATMUL)]
    return _all("matmul", "a product summed over a broadcast", broadcast[0]) if broadcast else ()


def sort(reading: Reading, _: Flow) -> Found:
    calls = reading.named(*SORTS)
    if calls:
        return _all("sort", "sorts a block", calls[0])
    networks = [c for c in reading.calls if NETWORK.search(c.name)]
    if NETWORK.search(reading.name.lower()):
        networks = networks or reading.named("tl.where", "tl.reshape")
    if networks:
        return _all("sort", "a sort network", networks[0])
    swaps = reading.named("tl.flip", "tl.argmax", ".argmax", "tl.argmin")
    swaps = swaps or [call for call in reading.named("tl.where", "tl.sum") if call.in_loop]
    return _all("sort", "orders by hand", swaps[0]) if swaps and _is_called(reading, SORT) else ()


def scan(reading: Reading, flow: Flow) -> Found:
    calls = reading.named(*SCANS)
    if calls and not (reading.named(*EXPONENTIALS) and _is_called(reading, SOFTMAX)):
        return _all("scan", "a running sum", calls[0])
    carried = [c for c in reading.named(*STORES) if c.in_loop]
    recurs = bool(carried) and _is_called(reading, SCAN) and not flow.indirect
    if recurs:
        return _all("scan", "a running value stored at every step", carried[0])
    reduced = reading.named(*REDUCTIONS, "tl.dot") or flow.indirect
    names = {name for function in reading.functions for name, _ in carried_names(function)}
    running = [c for c in carried if (v := c.argument(1, "value")) and identifiers(v) & names]
    if running and not reduced:
        return _all("scan", "a running value stored at every step", running[0])
    published = [call for call in reading.named(*ATOMICS) if call.in_loop]
    waits = bool(published) and _is_called(reading, SCAN)
    return _all("scan", "blocks wait for the sums of others", published[0]) if waits else ()


def softmax(reading: Reading, _: Flow) -> Found:
    """Maximum, exponential, sum, quotient; backward of it: a product, its sum, a difference."""
    direct = reading.named("tl.softmax")
    if direct:
        return _all("softmax", "Triton's own softmax", direct[0])
    maxima = reading.named(*MAXIMA)
    exponentials = reading.named("tl.exp", "tl.exp2")
    sums = reading.named(*SUMS)
    if maxima and exponentials and sums and DIVISION.search(_source(reading)):
        steps = (maxima[0], exponentials[0], sums[0])
        return _all("softmax", "maximum, exponential, sum, quotient", *steps)
    if sums and (_is_called(reading, SOFTMAX) or (exponentials and maxima)):
        return _all("softmax", "a sum of exponentials or of their gradients", sums[0])
    return ()


def normalization(reading: Reading, _: Flow) -> Found:
    """Divided by a root of a mean square: forward by a root, backward by one kept from there."""
    sums = reading.named(*SUMS)
    roots = reading.named(*ROOTS, "tl.pow")
    kept = [p for p in (*reading.parameters, *_locals(reading)) if STATISTIC.search(p)]
    scaled = EPSILON.search(_source(reading))
    divided = scaled or kept or _is_called(reading, NORM)
    if sums and roots and divided and not _is_called(reading, VECTOR_NORM):
        return _all("normalization", "a root of a mean square", sums[0], roots[0])
    if sums and (len(kept) >= 1 and _is_called(reading, NORM)):
        return _all("normalization", f"sums with {kept[0]}", sums[0])
    loads = reading.named(*LOADS)
    if loads and roots and scaled and len(kept) >= 1:
        return _all("normalization", "a root of a mean square", roots[0])
    applied = loads and kept and (_is_called(reading, NORM) or len(kept) >= 2)
    return _all("normalization", f"applies {kept[0]}", loads[0]) if applied else ()


def random(reading: Reading, _: Flow) -> Found:
    calls = reading.named(*RANDOM)
    return _all("random", "draws random numbers", calls[0]) if calls else ()


def gather_scatter(reading: Reading, flow: Flow) -> Found:
    reduced = [c for c in reading.named(*REDUCTIONS) if not _is_called(reading, GATHER)]
    if flow.indirect and not reduced:
        return _all("gather-scatter", "an address that was loaded", flow.indirect[0])
    return ()


def movement(reading: Reading, _: Flow) -> Found:
    """Loaded values stored unchanged at another place: a transposition, a roll, a copy."""
    values: dict[str, list[Node]] = {}
    for function in reading.functions:
        for node in captures(ASSIGNMENTS, function).get("assignment", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                known = values.setdefault(text_of(left), [])
                known.append(right if node.type == "assignment" else node)
    stores = reading.named(*STORES)
    stored = [call.argument(1, "value") for call in stores]
    if stores and all(value is not None and _is_moved(value, values) for value in stored):
        return _all("other", "values moved and none computed", stores[0])
    return ()


def _is_moved(value: Node, values: dict[str, list[Node]]) -> bool:
    """Whether an expression is a load, converted or laid out anew at most."""
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
            called = (node.child_by_field_name("function") or node).named_children
            name = text_of(called[-1]) if called else ""
            if name in {"load", "load_tensor_descriptor"}:
                return True
            if name not in LAYOUTS:
                return False
            arguments = node.child_by_field_name("arguments")
            on_value = text_of(called[0]) not in {"tl", "triton.language"}
            node = called[0] if on_value else arguments.named_children[0] if arguments else None
        else:
            return False
    return False


LAYOUTS = frozenset({"to", "trans", "reshape", "permute", "view", "broadcast_to"})


def reduction(reading: Reading, _: Flow) -> Found:
    calls = reading.named(*REDUCTIONS)
    if calls:
        return _all("reduction", "many values become one", calls[0])
    atomics = reading.named(*ATOMICS)
    if atomics and reading.named(*LOADS):
        return _all("reduction", "an atomic sum", atomics[0])
    loaded = [c for c in reading.named(*LOADS) if c.in_loop]
    stored = [c for c in reading.named(*STORES) if not c.in_loop]
    if loaded and stored and ACCUMULATES.search(_source(reading)):
        return _all("reduction", "a sum over a loop", loaded[0])
    return ()


def element_wise(reading: Reading, _: Flow) -> Found:
    stores = reading.named(*STORES)
    if stores and (reading.named(*LOADS) or reading.named("tl.full", "tl.zeros", "tl.arange")):
        return _all("element-wise", "each value by itself", stores[0])
    if reading.kernel is not None and (written := _written_references(reading.kernel, reading)):
        return written
    if not reading.calls or reading.kernel is None:
        return _returned(reading)
    maths = [c for c in reading.calls if c.name.removeprefix("tl.") in MATHEMATICS]
    return _all("element-wise", "a function of its arguments", maths[0]) if maths else ()


def _written_references(kernel: Node, reading: Reading) -> Found:
    """Find the values that a Pallas kernel writes into a reference: `o_ref[...] = …`."""
    pattern = "(assignment left: (subscript value: (identifier) @name)) @written"
    found = captures(pattern, kernel)
    if not any(text_of(node) in reading.parameters for node in found.get("name", ())):
        return ()
    first = min(found["written"], key=lambda node: node.start_byte)
    text = " ".join(text_of(first).split())[:160]
    return [Evidence("element-wise", "each value by itself", first.start_point.row + 1, text)]


def _returned(reading: Reading) -> Found:
    """A helper without calls that returns an expression of its arguments."""
    if reading.kernel is None or re.search(r"pid|swizzle|offset|ptr", _source(reading)):
        return ()
    for node in captures("(return_statement (_) @value)", reading.kernel).get("value", ()):
        if identifiers(node):
            text = " ".join(text_of(node).split())[:160]
            line = node.start_point.row + 1
            return [Evidence("element-wise", "a function of its arguments", line, text)]
    return ()


MATHEMATICS = frozenset(
    {"exp", "exp2", "log", "log2", "sqrt", "rsqrt", "sigmoid", "tanh", "erf", "abs", "where"}
    | {"maximum", "minimum", "fma", "sin", "cos", "floor", "ceil", "fdiv", "div_rn", "clamp"}
    | {"pow", "softplus", "inline_asm_elementwise", ".to", "cast", "relu", "gelu", "silu"}
)

Rule = Callable[[Reading, Flow], Found]
RULES: tuple[tuple[Operation, Rule], ...] = (
    ("optimizer", optimizer),
    ("loss", loss),
    ("other", rotary),
    ("attention", attention),
    ("convolution", convolution),
    ("matmul", matmul),
    ("quantization", quantization),
    ("sort", sort),
    ("normalization", normalization),
    ("softmax", softmax),
    ("scan", scan),
    ("random", random),
    ("gather-scatter", gather_scatter),
    ("reduction", reduction),
    ("other", movement),
    ("element-wise", element_wise),
)

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
    # Not momentum alone: a batch norm's running mean has one too.
    r"lr|learning_rate|step_size|beta_?[12]|weight_decay|wd|bias_correction\d?"
)
AVERAGE = re.compile(r"(\w+) \* (\w+) \+ \(1(?:\.0)? - (?:\1|\2)\) \*")
SCALE = re.compile(r"scale|inv_s|absmax|amax|max_abs|zero|zp|(?:^|_)s_ptr", re.I)
NARROW = re.compile(r"int8|uint8|float8|fp8|int4|e4m3|e5m2|FP8|fp4|QUANT|quant")
PRODUCT = re.compile(r"\w\]?\)? \* ")
DIVISION = re.compile(r"/(?!/)|tl\.log|fdiv|div_rn|\.log\(")
STATISTIC = re.compile(
    r"(?:^|_)(?:rstd|mean|inv_var|inv_std|invstd|rms|var|variance|rrms|rvar|r_?norm)(?:$|_|s$)",
    re.I,
)
EPSILON = re.compile(r"\+ ?\(?[\w.]*eps|\+ 1e-0?\d|\+ 1\.0*e-0?\d", re.I)
ACCUMULATES = re.compile(r"(\w+) = \1 \+|\+=|(\w+) = tl\.(?:maximum|minimum)\(\2")


def _all(says: Operation, rule: str, *calls: Call) -> list[Evidence]:
    return [seen(says, rule, call) for call in calls]


def _is_called(reading: Reading, pattern: re.Pattern[str]) -> bool:
    return pattern.search(reading.name.lower()) is not None


def _is_about(reading: Reading, pattern: re.Pattern[str]) -> bool:
    """The kernel's name says so, or else that of its file or launcher."""
    return _is_called(reading, pattern) or pattern.search(reading.place.lower()) is not None


def _named_by(reading: Reading, pattern: re.Pattern[str]) -> str:
    return "a kernel so named" if _is_called(reading, pattern) else "a file or launcher so named"


def _dots(reading: Reading) -> list[Call]:
    return reading.named("tl.dot")


def _has(reading: Reading, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(parameter) for parameter in reading.parameters)


def _has_attention_names(reading: Reading) -> bool:
    """Queries, keys and values, of which backward kernels and linear attentions take two."""
    names = _plain_parameters(reading)
    queries = {"q", "query", "dq", "q_nope", "q_rope"} & names
    keys = {"k", "key", "k_cache", "key_cache", "dk", "k_buffer", "kv", "kv_cache"} & names
    values = {"v", "value", "v_cache", "value_cache", "dv", "v_buffer", "do", "v_new"} & names
    return bool(queries and keys) or bool(keys and values) or bool(queries and values)


def _plain_parameters(reading: Reading) -> set[str]:
    """The parameters without what says that they are pointers."""
    return {
        re.sub(r"^desc_|_?(?:ptr|desc|block_ptr)s?$", "", p.lower()) for p in reading.parameters
    }


def _locals(reading: Reading) -> list[str]:
    if reading.kernel is None:
        return []
    found = captures("(assignment left: (identifier) @name)", reading.kernel)
    return sorted({text_of(node) for node in found.get("name", ())})


def _source(reading: Reading) -> str:
    return "\n".join(text_of(function) for function in reading.functions)
