"""How hard a kernel is to write: one rule, stated here and nowhere else.

Points: 1 for each 25 lines of code in the kernel and its helpers (at most 4); 2 for a product of
blocks, 1 more for a second; 1 for a loop, 1 more for nested ones; 2 for atomics; 1 for a scan or
a sort; 1 for each two helpers (at most 2); 1 for addresses that were loaded; 1 for descriptors,
block pointers or inline assembly. 0 to 2 points are easy, 3 to 6 medium, more are hard.
"""

from __future__ import annotations

from typing import Literal

from ingest.classify.dataflow import ATOMICS, Flow
from ingest.classify.evidence import Evidence
from ingest.classify.operation import SCANS, SORTS
from ingest.classify.reading import Reading
from ingest.extract.syntax import captures, text_of

Difficulty = Literal["easy", "medium", "hard"]
EASY, MEDIUM = 2, 6
SPECIAL = (
    *("tl.make_block_ptr", "tl.make_tensor_descriptor", "tl.inline_asm_elementwise"),
    *("tl.load_tensor_descriptor", "tl._experimental_descriptor_load", "tl.warp_specialize"),
)
LOOPS = "[(for_statement) (while_statement)] @loop"


def difficulty(reading: Reading, flow: Flow) -> tuple[Difficulty, Evidence]:
    lines = code_lines(reading)
    dots = len(reading.named("tl.dot"))
    loops, nested = _loops(reading)
    helpers = max(0, len(reading.functions) - 1)
    points = {
        f"{lines} lines": min(4, lines // 25),
        f"{dots} products of blocks": 2 + (dots > 1) if dots else 0,
        f"{loops} loops": (loops > 0) + nested,
        "atomics": 2 * bool(reading.named(*ATOMICS)),
        "a scan or a sort": bool(reading.named(*SCANS, *SORTS)),
        f"{helpers} helpers": min(2, helpers // 2),
        "loaded addresses": bool(flow.indirect),
        "descriptors, block pointers or assembly": bool(reading.named(*SPECIAL)),
    }
    total = sum(points.values())
    level: Difficulty = "easy" if total <= EASY else "medium" if total <= MEDIUM else "hard"
    counted = ", ".join(f"{what} ({count:d})" for what, count in points.items() if count)
    line = reading.kernel.start_point.row + 1 if reading.kernel is not None else 1
    return level, Evidence(level, f"{total} points", line, counted)


def code_lines(reading: Reading) -> int:
    """Lines with something on them but a comment, in the kernel and its helpers."""
    lines = [line for node in reading.functions for line in text_of(node).splitlines()]
    return sum(1 for line in lines if line.strip() and not line.lstrip().startswith("#"))


def _loops(reading: Reading) -> tuple[int, bool]:
    """How many loops there are, and whether one stands in another."""
    count, nested = 0, False
    for function in reading.functions:
        spans = sorted(
            (n.start_byte, n.end_byte) for n in captures(LOOPS, function).get("loop", ())
        )
        count += len(spans)
        end = 0
        for start, stop in spans:
            nested = nested or start < end
            end = max(end, stop)
    return count, nested
