"""Tags of a kernel, each with the line of code that is its evidence."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curation.kinds.calls import SCANS
from curation.kinds.dataflow import ATOMICS, LOADS, Flow
from curation.kinds.reading import Evidence, Reading, seen
from curation.kinds.signs import BACKWARD, GRADIENT, strided_loops
from ingest.classify.operation_signs import RANDOM
from ingest.extract.syntax import captures, text_of

CALLS: dict[str, tuple[str, ...]] = {
    "atomics": ATOMICS,
    "dot": ("tl.dot",),
    "scan": SCANS,
    "random": RANDOM,
    "block-pointer": ("tl.make_block_ptr",),
    "tensor-descriptor": (
        *("tl.make_tensor_descriptor", "tl.load_tensor_descriptor"),
        "tl._experimental_descriptor_load",
    ),
    "inline-assembly": ("tl.inline_asm_elementwise",),
    "welford": ("tl.welford",),
    "debug": ("tl.device_print", "tl.device_assert", "tl.debug_barrier"),
}
DTYPES = re.compile(
    r"tl\.(float(?:16|32|64)|bfloat16|float8\w*|int(?:8|16|32|64)|uint(?:8|16|32|64)|int1)"
)
DTYPE_TAGS = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64"}
CAUSAL = re.compile(r"causal", re.IGNORECASE)
SPLIT_K = re.compile(r"^(?:split_?k|num_?k?v?_?splits|num_splits|splits)$", re.IGNORECASE)
GROUPED = re.compile(r"^(?:group_size(?:_m)?|group_m|num_pid_in_group)$", re.IGNORECASE)
TRIANGLE = re.compile(r"\b(?=\w*?[mqi])\w++(?:\[:, None\])? >=? ?\(?\w*[nkj]")


def tags(reading: Reading, flow: Flow) -> tuple[Evidence, ...]:
    """Return one piece of evidence for each tag, sorted by tag."""
    evidence_by_tag: dict[str, Evidence] = {}
    for evidence in _tags(reading, flow):
        evidence_by_tag.setdefault(evidence.says, evidence)
    return tuple(evidence_by_tag[tag] for tag in sorted(evidence_by_tag))


def _tags(reading: Reading, flow: Flow) -> Iterator[Evidence]:
    for tag, names in CALLS.items():
        for call in reading.named(*names)[:1]:
            yield seen(tag, f"calls {call.name}", call)
    for call in flow.indirect[:1]:
        yield seen("indirect", "an address that was loaded", call)
    yield from _decorated(reading)
    yield from _persistent(reading)
    yield from _by_parameters(reading)
    yield from _dtypes(reading)


def _decorated(reading: Reading) -> Iterator[Evidence]:
    kernel = reading.kernel
    around = kernel.parent if kernel is not None else None
    if around is None or around.type != "decorated_definition":
        return
    for node in around.children:
        if node.type != "decorator" or not node.named_children:
            continue
        called = node.named_children[0].child_by_field_name("function") or node.named_children[0]
        name = reading.canonical(called) or ""
        for tag, decorator in (("autotuned", "autotune"), ("heuristics", "heuristics")):
            if name.rpartition(".")[2] == decorator:
                text = " ".join(text_of(node).split())[:160]
                yield Evidence(tag, f"decorated by {name}", node.start_point.row + 1, text)


def _persistent(reading: Reading) -> Iterator[Evidence]:
    for node in strided_loops(reading):
        text = " ".join(text_of(node).split())[1:-1][:160]
        yield Evidence("persistent", "loops over programs", node.start_point.row + 1, text)


def _by_parameters(reading: Reading) -> Iterator[Evidence]:
    kernel = reading.kernel
    if kernel is None:
        return
    line = kernel.start_point.row + 1
    stores = [text_of(call.node) for call in reading.named("tl.store", ".store")]
    for name in reading.parameters:
        if SPLIT_K.search(name):
            yield Evidence("split-k", "a parameter says so", line, name)
        if GROUPED.search(name) and reading.named("tl.dot"):
            yield Evidence("grouped", "programs in groups", line, name)
        if CAUSAL.search(name):
            yield Evidence("causal", "a parameter says so", line, name)
        gradient = GRADIENT.search(name) and any(name in text for text in stores)
        if gradient and (BACKWARD.search(reading.name.lower()) or len(name) > 2):
            yield Evidence("backward", "stores a gradient", line, name)
    reads = reading.named(*LOADS) and any(map(GRADIENT.search, reading.parameters))
    if reads and BACKWARD.search(reading.name.lower()):
        yield Evidence("backward", "reads a gradient", line, reading.name)
    for call in reading.named("tl.where"):
        if reading.named("tl.dot") and TRIANGLE.search(call.text):
            yield seen("causal", "a triangle is masked", call)


def _dtypes(reading: Reading) -> Iterator[Evidence]:
    for function in reading.functions:
        for node in captures("(attribute) @name", function).get("name", ()):
            dtype = DTYPES.fullmatch(reading.canonical(node) or "")
            if dtype and dtype[1] != "int1":
                tag = "fp8" if dtype[1].startswith("float8") else DTYPE_TAGS.get(dtype[1], dtype[1])
                line = node.start_point.row + 1
                yield Evidence(tag, "names the dtype", line, text_of(node))
