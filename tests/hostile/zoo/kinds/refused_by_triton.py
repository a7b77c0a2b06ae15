"""Kernels that run in the interpreter only."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant, in_kernel
from tests.hostile.zoo.edits import stores

STORE = "    tl.store(out_ptr + offsets, (x + y)"

AGAIN = "    tl.store(out_ptr + offsets, total"


def computes(statements: str) -> tuple[Edit, ...]:
    """Compute `total` by these statements, and store it in the place of x + y."""
    return (in_kernel(STORE, f"{statements}{AGAIN}"),)


PYTHON_THAT_TRITON_REFUSES = Kind(
    "The kernel runs in the interpreter as Python, and Triton can't compile it.",
    outcome=Outcome("failed error", "contract values"),
    variants=(
        Variant(
            "type-of-a-loop",
            how="A number becomes a block of fractions in a loop.",
            edits=computes(
                "    total = 0\n"
                "    for step in range(2):\n"
                "        total = total + (x if step == 0 else y)\n"
            ),
        ),
        Variant(
            "break",
            edits=computes(
                "    total = x\n    for _ in range(n):\n        total += y\n        break\n"
            ),
        ),
        Variant(
            "plain-global",
            edits=(
                in_kernel("BLOCK = 1024\n", "BLOCK = 1024\nFACTOR = 1.0\n"),
                stores("(x + y * FACTOR)"),
            ),
        ),
        Variant(
            "annotated-global",
            how="Triton took annotations of constants once.",
            edits=(
                in_kernel("BLOCK = 1024\n", "BLOCK = 1024\nONE: tl.constexpr = 1\n"),
                stores("(x + y * ONE)"),
            ),
        ),
        Variant(
            "one-branch",
            how="A name is defined in one branch of a condition that Triton can't decide.",
            edits=computes("    if n > 0:\n        total = x + y\n"),
        ),
        Variant(
            "named-like-an-excuse",
            how="Triton's message names what sounds like an error of its own.",
            edits=(
                in_kernel(STORE, f"    if n > 0:\n        InterpreterError = x + y\n{STORE}"),
                stores("InterpreterError"),
            ),
        ),
        Variant(
            "comprehension-of-a-range",
            edits=computes(
                "    parts = [x * (1 - step) + y * step for step in range(2)]\n"
                "    total = parts[0] + parts[1]\n"
            ),
        ),
        Variant(
            "zip",
            edits=computes(
                "    total = x * 0\n"
                "    for part, factor in zip((x, y), (1.0, 1.0)):\n"
                "        total += part * factor\n"
            ),
        ),
        Variant(
            "loop-over-a-tuple",
            edits=computes("    total = x * 0\n    for part in (x, y):\n        total += part\n"),
        ),
        Variant("sum", edits=(stores("sum((x, y))"),)),
        Variant(
            "return-in-a-loop",
            edits=(
                in_kernel(
                    "    mask = offsets < n\n",
                    "    mask = offsets < n\n"
                    "    for block in range(1):\n"
                    "        if n <= block:\n"
                    "            return\n",
                ),
            ),
        ),
        Variant(
            "recursion",
            edits=(
                in_kernel(
                    "@triton.jit\n",
                    "@triton.jit\n"
                    "def added(x, y, n):\n"
                    "    if n > 1:\n"
                    "        return added(x, y, n // 2)\n"
                    "    return x + y\n\n\n"
                    "@triton.jit\n",
                ),
                stores("added(x, y, n)"),
            ),
        ),
        Variant(
            "three-warps",
            edits=(in_kernel("y.stride(0), BLOCK=BLOCK)", "y.stride(0), BLOCK, num_warps=3)"),),
        ),
    ),
)
