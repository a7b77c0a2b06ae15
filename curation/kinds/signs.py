"""Signs of algorithms in a kernel: names, rotations, and loops with a grid's stride."""

import re

from tree_sitter import Node

from curation.kinds.dataflow import ATOMICS, STORES
from curation.kinds.reading import Reading
from curation.similarity.tree import captures, text_of

MAXIMUM = re.compile(r"\b(?:max|maximum|max2|fmax|row_max)\(")
DOT = re.compile(r"\b(?:dot|dot_scaled|(?=\w*?mma)\w++)\(")
SPLIT = re.compile(r"split_?k|stream_?k|k_?splits?$|num_(?:k_?v?_?)?splits|^splits?$", re.I)
ASYNCHRONOUS = re.compile(r"mbarrier|tcgen05|warpgroup|warp_specialize|async_copy|\.tma\.")
NETWORK = re.compile(r"bitonic|compare_and_swap")
MOVES = re.compile(r"(?:^tl|)\.(?:trans|permute|split|join|interleave|flip|cat|gather)$")
ADDRESS = re.compile(r"ptr|off|idx|index|_?pid|mask", re.I)
BACKWARD = re.compile(r"(?:^|_)(?:bwd\w*|backward|grad|dx|dq|dkv?|dv|dw\w*|db)(?:_|$)")
GRADIENT = re.compile(
    r"^(?:d_?[a-z]\d?|d(?:out|loss|logits|bias|gate|up)|(?:new_)?grads?_?\w*|\w+_grads?)"
    r"(?:_?ptr)?s?$",
    re.IGNORECASE,
)
ROTARY = re.compile(r"rope|rotary|rotat")
ANGLE = re.compile(r"^(?:cos|sin|cos_?sin|freqs?)(?:_|$)|_(?:cos|sin)(?:_|$)", re.I)
FACTOR = r"[\w.]++(?:\[[^\]]*+\])?"
TURN = re.compile(rf"(?<![\w.]){FACTOR} \* {FACTOR} - {FACTOR} \* {FACTOR}")
FMA_TURN = re.compile(r"fma\([^()]*, -\(")
START = re.compile(r"pid|program|block_id", re.IGNORECASE)
STEP = re.compile(r"num|sm|grid|program|ncta|step", re.IGNORECASE)


def is_gradient(reading: Reading) -> bool:
    """Return True if the kernel stores a gradient, judged by its name and its parameters' names."""
    backward = BACKWARD.search(reading.name.lower()) is not None
    gradients = [name for name in reading.parameters if GRADIENT.search(name)]
    # `dt` or `dx` alone may be a time step or a distance.
    return (backward and bool(gradients)) or any(len(name) > 3 for name in gradients)


def rotation(reading: Reading) -> list[Node]:
    """Find rotations of pairs of values: `a * c - b * s` and `b * c + a * s`."""
    source = " ".join(" ".join(text_of(function).split()) for function in reading.functions)
    turned = TURN.search(source) or FMA_TURN.search(source)
    angles = any(ANGLE.search(name) for name in reading.parameters)
    is_rotary = ROTARY.search(reading.name.lower())
    return store_nodes(reading) if (angles or is_rotary) and turned else []


def strided_loops(reading: Reading) -> list[Node]:
    """Find loops that start at the program id and step by the number of programs."""
    if reading.kernel is None or not reading.named("tl.program_id"):
        return []
    ranges = []
    pattern = "(for_statement right: (call arguments: (argument_list) @range))"
    for node in captures(pattern, reading.kernel).get("range", ()):
        bounds = [
            text_of(child)
            for child in node.named_children
            if child.type not in {"comment", "keyword_argument"}
        ]
        if len(bounds) == 3 and START.search(bounds[0]) and STEP.search(bounds[2]):
            ranges.append(node)
    return ranges


def store_nodes(reading: Reading) -> list[Node]:
    return [call.node for call in reading.named(*STORES, *ATOMICS)]
