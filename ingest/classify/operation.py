"""Operation type of a kernel. The first rule that matches decides.

Rules look at calls. Names of functions, parameters, the file and the launcher only distinguish
kernels with the same calls, so no rule relies on names alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tree_sitter import Node

from curation.kinds.calls import EXPONENTIALS, MAXIMA, REDUCTIONS, SCANS, SORTS, SUMS
from curation.kinds.dataflow import ASSIGNMENTS, ATOMICS, LOADS, STORES, Flow, identifiers
from curation.kinds.difficulty import carried as carried_names
from curation.kinds.reading import Evidence, Reading
from curation.kinds.signs import NETWORK, ROTARY, rotation
from ingest.classify.operation_signs import (
    ACCUMULATES,
    ATTENTION,
    AVERAGE,
    CONVOLUTION,
    DECODING,
    DIVISION,
    EPSILON,
    GATHER,
    LOSS,
    LSE,
    MATMUL,
    NARROW,
    NORM,
    POOL,
    PRODUCT,
    QUANTIZE,
    SCALE,
    SCAN,
    SOFTMAX,
    SORT,
    STATISTIC,
    STEP,
    TARGET,
    VECTOR_NORM,
    WINDOW,
    Operation,
    draws,
    has_attention_names,
    has_parameter,
    is_about,
    is_called,
    is_moved,
    local_names,
    named_by,
    plain_parameters,
    returned,
    shown,
    source,
    written_references,
)
from ingest.extract.syntax import captures, text_of

Found = Sequence[Evidence]

ROOTS = ("tl.sqrt", "tl.rsqrt", "tl.sqrt_rn")
LOGARITHMS = ("tl.log", "tl.log2", "tl.log1p")


def operation(reading: Reading, flow: Flow) -> tuple[Operation, tuple[Evidence, ...]]:
    for name, rule in RULES:
        evidence = rule(reading, flow)
        if evidence:
            return name, tuple(evidence)
    return "other", ()


def attention(reading: Reading, _: Flow) -> Found:
    """Match scores times values: two products with a softmax or a decay between them.

    A kernel for one of these steps, or for its gradients, matches too.
    """
    dots = reading.named("tl.dot")
    exponentials = reading.named(*EXPONENTIALS)
    row_maxima = reading.named("tl.max", ".max")
    if len(dots) >= 2 and exponentials and (row_maxima or has_parameter(reading, LSE)):
        return shown(
            "attention", "two products around a softmax", dots[0], dots[1], exponentials[0]
        )
    if dots and has_attention_names(reading):
        return shown("attention", "a product of queries, keys or values", dots[0])
    if dots and (is_about(reading, ATTENTION) or is_called(reading, DECODING)):
        return shown("attention", f"a product in {named_by(reading, ATTENTION)}", dots[0])
    sums = reading.named(*SUMS)
    by_hand = [call for call in sums if call.in_loop]
    has_name = is_called(reading, ATTENTION) or is_called(reading, DECODING)
    maxima = reading.named(*MAXIMA)
    if len(by_hand) >= 2 and exponentials and maxima and has_name:
        return shown("attention", "an online softmax over products", by_hand[0], exponentials[0])
    if sums and has_attention_names(reading) and (by_hand or has_name):
        return shown("attention", "a product of queries, keys or values by hand", sums[0])
    if by_hand and is_called(reading, ATTENTION):
        return shown("attention", "products by hand in a kernel named after attention", by_hand[0])
    names = plain_parameters(reading)
    if sums and names & {"o", "out"} and names & {"do", "dout"} and "delta" in names:
        return shown("attention", "row sums of the output times its gradient", sums[0])
    combines = exponentials and has_name and (has_parameter(reading, LSE) or maxima)
    return shown("attention", "joins partial softmaxes", exponentials[0]) if combines else ()


def rotary(reading: Reading, _: Flow) -> Found:
    """Match pairs of values that are rotated by angles. They have no type of their own."""
    if reading.named("tl.dot", *SUMS):
        return ()
    turned = rotation(reading)
    if turned:
        node = turned[0]
        text = " ".join(text_of(node).split())[:160]
        return [Evidence("other", "pairs turned by an angle", node.start_point.row + 1, text)]
    stores, loads = reading.named(*STORES), reading.named(*LOADS)
    has_name = ROTARY.search(reading.name.lower()) and len(loads) >= 2
    return (
        shown("other", "a rotary embedding by its name", stores[0]) if has_name and stores else ()
    )


def convolution(reading: Reading, _: Flow) -> Found:
    """Match a sliding window: products summed over taps, with a stride, a padding or a width."""
    taps = [p for p in (*reading.parameters, *local_names(reading)) if WINDOW.search(p)]
    sliding = reading.named("tl.dot") or [c for c in reading.named(*LOADS) if c.in_loop]
    has_name = is_called(reading, CONVOLUTION)
    sliding = sliding or (reading.named(*SUMS) if has_name else [])
    if not sliding or is_called(reading, POOL) or not (has_name or len(taps) >= 2):
        return ()
    rule = f"products over a window ({', '.join(taps[:3])})" if taps else "products over neighbors"
    return shown("convolution", rule, sliding[0])


def optimizer(reading: Reading, flow: Flow) -> Found:
    """Match a parameter and its moments, read and written in place with a step size."""
    names = {p.lower().strip("_") for p in reading.parameters}
    steps = [name for name in names if STEP.fullmatch(name)]
    stores = reading.named(*STORES)
    averages = AVERAGE.search(text_of(reading.kernel)) if reading.kernel is not None else None
    several = len(flow.in_place) >= 2 or len(steps) >= 2 or averages
    if not (flow.in_place and steps and several) or reading.named("tl.dot"):
        return ()
    return shown("optimizer", f"updates {', '.join(sorted(flow.in_place))} in place", stores[0])


def loss(reading: Reading, flow: Flow) -> Found:
    """Match a distance to a target. The target is a named parameter, or the logit of a label."""
    targets = [p for p in reading.parameters if TARGET.search(p)]
    computed = reading.named(*LOGARITHMS, *EXPONENTIALS, "tl.abs", *SUMS)
    if targets and (any(map(LOSS.search, targets)) or is_about(reading, LOSS)):
        calls = computed or reading.named(*LOADS)
        return shown("loss", f"compares with {', '.join(targets[:2])}", calls[0]) if calls else ()
    if computed and reading.named(*STORES) and is_called(reading, LOSS):
        return shown("loss", "a loss by its name", computed[0])
    logarithms, exponentials = reading.named(*LOGARITHMS), reading.named(*EXPONENTIALS)
    sampled = flow.sampled and not reading.named("tl.dot")
    if sampled and logarithms and exponentials and reading.named(*SUMS):
        label = flow.indirect[0]
        return shown("loss", "a label's logit and a log-sum-exp", label, logarithms[0])
    return ()


def quantization(reading: Reading, _: Flow) -> Found:
    """Match numbers scaled into few bits, or back. A kernel with a product never matches."""
    if reading.named("tl.dot"):
        return ()
    scales = [p for p in (*reading.parameters, *local_names(reading)) if SCALE.search(p)]
    casts = [c for c in reading.named(".to", "tl.cast") if NARROW.search(c.text)]
    to_element = [c for c in reading.named(".to") if "element_ty" in c.text]
    clamps = reading.named("tl.clamp", "tl.clip", *MAXIMA, "tl.minimum", "tl.min")
    if scales and casts:
        return shown("quantization", f"a cast to few bits with {scales[0]}", casts[0])
    has_name = is_called(reading, QUANTIZE)
    if has_name and scales and (to_element or reading.named(*STORES)):
        calls = [*clamps, *to_element, *reading.named(*STORES)]
        return shown("quantization", f"values scaled by {scales[0]}", calls[0])
    return shown("quantization", "a cast to few bits", casts[0]) if has_name and casts else ()


def matmul(reading: Reading, _: Flow) -> Found:
    dots = reading.named("tl.dot")
    if dots:
        return shown("matmul", "a product of blocks", *dots[:2])
    by_hand = [c for c in reading.named("tl.sum") if c.in_loop and PRODUCT.search(c.text)]
    broadcast = [c for c in by_hand if "[None" in c.text or is_called(reading, MATMUL)]
    return shown("matmul", "a product summed over a broadcast", broadcast[0]) if broadcast else ()


def sort(reading: Reading, _: Flow) -> Found:
    calls = reading.named(*SORTS)
    if calls:
        return shown("sort", "sorts a block", calls[0])
    networks = [c for c in reading.calls if NETWORK.search(c.name)]
    if NETWORK.search(reading.name.lower()):
        networks = networks or reading.named("tl.where", "tl.reshape")
    if networks:
        return shown("sort", "a sort network", networks[0])
    swaps = reading.named("tl.flip", "tl.argmax", ".argmax", "tl.argmin")
    swaps = swaps or [call for call in reading.named("tl.where", "tl.sum") if call.in_loop]
    return shown("sort", "orders by hand", swaps[0]) if swaps and is_called(reading, SORT) else ()


def scan(reading: Reading, flow: Flow) -> Found:
    calls = reading.named(*SCANS)
    if calls and not (reading.named(*EXPONENTIALS) and is_called(reading, SOFTMAX)):
        return shown("scan", "a running sum", calls[0])
    carried = [c for c in reading.named(*STORES) if c.in_loop]
    recurs = bool(carried) and is_called(reading, SCAN) and not flow.indirect
    if recurs:
        return shown("scan", "a running value stored at every step", carried[0])
    reduced = reading.named(*REDUCTIONS, "tl.dot") or flow.indirect
    names = {name for function in reading.functions for name, _ in carried_names(function)}
    running = [c for c in carried if (v := c.argument(1, "value")) and identifiers(v) & names]
    if running and not reduced:
        return shown("scan", "a running value stored at every step", running[0])
    published = [call for call in reading.named(*ATOMICS) if call.in_loop]
    waits = bool(published) and is_called(reading, SCAN)
    return shown("scan", "blocks wait for the sums of others", published[0]) if waits else ()


def softmax(reading: Reading, _: Flow) -> Found:
    """Match maximum, exponential, sum and quotient. A backward has product, sum and difference."""
    direct = reading.named("tl.softmax")
    if direct:
        return shown("softmax", "Triton's own softmax", direct[0])
    maxima = reading.named(*MAXIMA)
    exponentials = reading.named("tl.exp", "tl.exp2")
    sums = reading.named(*SUMS)
    if maxima and exponentials and sums and DIVISION.search(source(reading)):
        steps = (maxima[0], exponentials[0], sums[0])
        return shown("softmax", "maximum, exponential, sum, quotient", *steps)
    if sums and (is_called(reading, SOFTMAX) or (exponentials and maxima)):
        return shown("softmax", "a sum of exponentials or of their gradients", sums[0])
    return ()


def normalization(reading: Reading, _: Flow) -> Found:
    """Match a division by a root of a mean square. A backward kernel uses a stored root instead."""
    sums = reading.named(*SUMS)
    roots = reading.named(*ROOTS, "tl.pow")
    statistics = [p for p in (*reading.parameters, *local_names(reading)) if STATISTIC.search(p)]
    scaled = EPSILON.search(source(reading))
    divided = scaled or statistics or is_called(reading, NORM)
    if sums and roots and divided and not is_called(reading, VECTOR_NORM):
        return shown("normalization", "a root of a mean square", sums[0], roots[0])
    if sums and (len(statistics) >= 1 and is_called(reading, NORM)):
        return shown("normalization", f"sums with {statistics[0]}", sums[0])
    loads = reading.named(*LOADS)
    if loads and roots and scaled and len(statistics) >= 1:
        return shown("normalization", "a root of a mean square", roots[0])
    applied = loads and statistics and (is_called(reading, NORM) or len(statistics) >= 2)
    return shown("normalization", f"applies {statistics[0]}", loads[0]) if applied else ()


def random(reading: Reading, _: Flow) -> Found:
    return shown("random", "draws random numbers", *draws(reading)[:1])


def gather_scatter(reading: Reading, flow: Flow) -> Found:
    reduced = [c for c in reading.named(*REDUCTIONS) if not is_called(reading, GATHER)]
    if flow.indirect and not reduced:
        return shown("gather-scatter", "an address that was loaded", flow.indirect[0])
    return ()


def movement(reading: Reading, _: Flow) -> Found:
    """Match loaded values stored unchanged at another address: a transposition, a roll, a copy."""
    values: dict[str, list[Node]] = {}
    for function in reading.functions:
        for node in captures(ASSIGNMENTS, function).get("assignment", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is not None and right is not None:
                assigned = values.setdefault(text_of(left), [])
                assigned.append(right if node.type == "assignment" else node)
    stores = reading.named(*STORES)
    stored_values = [call.argument(1, "value") for call in stores]
    if stores and all(value is not None and is_moved(value, values) for value in stored_values):
        return shown("other", "values moved and none computed", stores[0])
    return ()


def reduction(reading: Reading, _: Flow) -> Found:
    calls = reading.named(*REDUCTIONS)
    if calls:
        return shown("reduction", "many values become one", calls[0])
    atomics = reading.named(*ATOMICS)
    if atomics and reading.named(*LOADS):
        return shown("reduction", "an atomic sum", atomics[0])
    loaded = [c for c in reading.named(*LOADS) if c.in_loop]
    stored = [c for c in reading.named(*STORES) if not c.in_loop]
    if loaded and stored and ACCUMULATES.search(source(reading)):
        return shown("reduction", "a sum over a loop", loaded[0])
    return ()


def element_wise(reading: Reading, _: Flow) -> Found:
    stores = reading.named(*STORES)
    if stores and (reading.named(*LOADS) or reading.named("tl.full", "tl.zeros", "tl.arange")):
        return shown("element-wise", "each value by itself", stores[0])
    if reading.kernel is not None and (written := written_references(reading.kernel, reading)):
        return written
    if not reading.calls or reading.kernel is None:
        return returned(reading)
    maths = [c for c in reading.calls if c.name.removeprefix("tl.") in MATHEMATICS]
    return shown("element-wise", "a function of its arguments", maths[0]) if maths else ()


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
