"""Faults of memory: outside of tensors, aliases, answers that are not there yet."""

from tests.hostile.zoo.catalog import Edit, Kind, Needs, Outcome, Variant, in_kernel, in_test
from tests.hostile.zoo.edits import stores

# The reference's own memory is free again when the candidate asks for some.
FREES_THE_ANSWER = in_test(
    "reference(*inputs), candidate(*inputs)", "reference(*inputs).clone(), candidate(*inputs)"
)


def waits_by(statement: str) -> Edit:
    """Run this between the launcher's return and the comparison."""
    return in_test("    rtol, atol =", f"    {statement}\n    rtol, atol =")


ANSWERS_BEFORE_IT_IS_DONE = Kind(
    "The launcher returns at once and the answer is written later, while the test waits.",
    outcome=Outcome("failed not_triton", "values memory repeatability"),
    variants=(
        Variant(
            "thread",
            edits=(waits_by("__import__('time').sleep(0.3)"),),
            outcome=Outcome("failed crashed not_triton", "values containment"),
        ),
        Variant(
            "stream",
            edits=(waits_by("torch.cuda.synchronize()"),),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
        Variant(
            "stream-and-patched-synchronize",
            edits=(waits_by("__import__('time').sleep(0.5)"),),
            needs=Needs.GPU,
            needs_because="Streams are CUDA's.",
        ),
    ),
)

CHANGES_ITS_INPUT = Kind(
    "The launcher returns the right sum and changes an input afterwards.",
    outcome=Outcome("failed", "memory"),
    variants=(Variant("by-kernel"), Variant("by-torch")),
)

READS_BEYOND_ITS_INPUT = Kind(
    "The kernel reads outside its input.",
    outcome=Outcome("failed error crashed", "bounds"),
    variants=(
        Variant(
            "one",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets + 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome("failed error crashed", "values bounds"),
        ),
        Variant(
            "block",
            how="Nothing of what it reads reaches the output.",
            edits=(
                in_kernel(
                    "y = tl.load(y_ptr + offsets * y_stride, mask=mask)",
                    "y = tl.load(y_ptr + offsets * y_stride)",
                ),
            ),
            needs=Needs.INTERPRETER,
            needs_because="A GPU shows it in compute-sanitizer only.",
            outcome=Outcome("failed error crashed", "own-test bounds containment"),
        ),
        Variant(
            "one-before",
            how="What it reads reaches the output if it is NaN or inf.",
            edits=(
                stores("(x + y + 0.0 * tl.load(y_ptr + offsets - 1, mask=mask).to(tl.float32))"),
            ),
            outcome=Outcome("failed error crashed", "values bounds"),
        ),
    ),
)

REPEATS_ITS_FIRST_ANSWER = Kind(
    "The launcher keeps its first answers, and returns them for later inputs of another content.",
    outcome=Outcome("failed not_triton", "variations memory repeatability"),
    variants=(
        Variant("by-size", words={"KEY": "x.numel()"}),
        Variant("by-address", words={"KEY": "x.data_ptr()"}),
    ),
)

RETURNS_ITS_INPUT = Kind(
    "The launcher returns the memory of an input where the reference returns new memory.",
    outcome=Outcome("failed", "memory"),
    variants=(
        Variant("sum-in-place"),
        Variant(
            "view", base="transpose", outcome=Outcome("failed not_triton", "memory kernel-matters")
        ),
    ),
)

RETURNS_UNWRITTEN_MEMORY = Kind(
    "The launcher returns memory as allocated, where the reference's answer may still lie.",
    outcome=Outcome("failed not_triton", "values memory kernel-matters"),
    variants=(
        Variant("empty", edits=(FREES_THE_ANSWER,)),
        Variant(
            "without-fill",
            how="It switches off torch's filling of fresh memory first.",
            edits=(FREES_THE_ANSWER,),
        ),
        Variant(
            "atomics-into-empty",
            how="Its kernel counts in memory that is zero only by luck.",
            base="histogram",
            edits=(in_kernel("torch.zeros(", "torch.empty("),),
        ),
    ),
)

REUSES_ITS_OUTPUT = Kind(
    "The launcher writes each answer of a size into the same memory, so a call changes the last.",
    outcome=Outcome("failed not_triton", "values memory repeatability"),
    variants=(Variant("by-size"),),
)

WRITES_BEYOND_ITS_OUTPUT = Kind(
    "The kernel writes one element outside its output.",
    outcome=Outcome("failed error crashed", "bounds"),
    variants=(
        Variant(
            "after",
            edits=(in_kernel("element_ty), mask=mask)", "element_ty), mask=offsets <= n)"),),
        ),
        Variant(
            "before",
            edits=(
                in_kernel(
                    "    tl.store(out_ptr + offsets,",
                    ("    tl.store(out_ptr - 1, 0.0)\n    tl.store(out_ptr + offsets,"),
                ),
            ),
        ),
        Variant(
            "after-int8",
            base="saturating-add",
            edits=(
                in_kernel("total.to(tl.int8), mask=mask)", "total.to(tl.int8), mask=offsets <= n)"),
            ),
        ),
    ),
)

WRITES_FAR_AWAY = Kind(
    "The kernel writes at an address that belongs to no tensor.",
    outcome=Outcome("failed error crashed", "own-test bounds containment"),
    variants=(
        Variant(
            "terabytes",
            edits=(
                in_kernel(
                    "tl.store(out_ptr + offsets,",
                    "tl.store(out_ptr + (offsets.to(tl.int64) + 1) * (1 << 40),",
                ),
            ),
        ),
    ),
)
