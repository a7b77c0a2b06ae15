"""Answers that something else than a kernel computes."""

from tests.hostile.zoo.catalog import OPERATIONS, Kind, Needs, Outcome, Variant, in_kernel, in_test

AUTOGRAD_COMPUTES = Kind(
    "Torch's autograd engine adds or multiplies what kernels should.",
    outcome=Outcome("failed error not_triton mixed", "values kernel-matters containment"),
    variants=(
        Variant("sum-of-gradients"),
        Variant(
            "sum-in-backward",
            base="squared-halves",
            edits=(
                in_kernel("slope = 2 * (later - earlier)", "slope = (later - earlier)"),
                in_kernel(
                    "        return dlater, dearlier\n",
                    (
                        "        return doubled(dlater), doubled(dearlier)\n"
                        "\n"
                        "\n"
                        "def doubled(x):\n"
                        "    with torch.enable_grad():\n"
                        "        leaf = torch.empty_like(x).requires_grad_()\n"
                        "        parts = [leaf.view(x.shape), leaf.view(x.shape)]\n"
                        "        return torch.autograd.grad(parts, [leaf], [x, x])[0]\n"
                    ),
                ),
            ),
            outcome=Outcome(
                "failed error not_triton mixed", "values kernel-matters gradients containment"
            ),
        ),
        Variant(
            "hook-multiplies",
            base="squared-halves",
            edits=(in_kernel("slope = 2 * (later - earlier)", "slope = 0.5 * (later - earlier)"),),
            outcome=Outcome(
                "failed error not_triton", "values kernel-matters gradients containment"
            ),
        ),
        Variant(
            "hook-completes",
            how="The launcher returns half of the answer, and hooks double it during backward.",
            base="squared-halves",
            edits=(in_kernel("step * step", "0.5 * step * step"),),
            outcome=Outcome("failed error not_triton", "values memory kernel-matters containment"),
        ),
    ),
)

COMPILED_BY_TORCH = Kind(
    "A function that torch compiled computes the answer.",
    outcome=Outcome("failed error not_triton mixed", "kernel-matters"),
    variants=(
        Variant("torchscript"),
        Variant(
            "inductor",
            outcome=Outcome("failed error not_triton", "kernel-matters"),
            needs=Needs.GPU,
            needs_because="Without a GPU torch.compile writes C++.",
        ),
    ),
)

FAKE_KERNEL = Kind(
    "A kernel launch is replaced by Python that computes with torch.",
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        Variant("object"),
        Variant(
            "patched-indexing",
            how="Triton's own way of launching is replaced, for every class of kernels.",
            outcome=Outcome("failed error not_triton", "kernel-matters"),
        ),
    ),
)

HOST_COMPUTES = Kind(
    "Python or NumPy computes the answer on the host.",
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(
        Variant("list", outcome=Outcome("failed not_triton", "kernel-matters")),
        Variant("numpy"),
        Variant("ctypes"),
        Variant(
            "numbers-one-by-one",
            launcher=("host_computes_numbers",),
            outcome=Outcome(
                "failed error not_triton", "contract values kernel-matters containment"
            ),
        ),
    ),
)

KERNEL_COPIES_WHAT_TORCH_COMPUTED = Kind(
    "Torch computes the answer, and the kernel only passes it on.",
    outcome=Outcome("failed not_triton mixed", "kernel-matters"),
    variants=(
        *(Variant(base, base=base) for base in OPERATIONS),
        Variant("transpose", base="transpose", launcher=("torch_transposes",)),
    ),
)

KERNEL_FOR_SHOW = Kind(
    "The launcher runs its kernel on one element and lets torch compute the rest.",
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        Variant("vector-add", words={"A_PART": "x[:1], y[:1]"}),
        Variant("row-sum", base="row-sum", words={"A_PART": "x[:1]"}),
    ),
)

KERNEL_REACHES_HIDDEN_MEMORY = Kind(
    "A kernel copies the inputs by an address or an offset into memory where torch or NumPy adds.",
    outcome=Outcome("failed not_triton", "kernel-matters bounds"),
    variants=(
        Variant(
            "address",
            # A GPU may not map that address.
            outcome=Outcome("failed not_triton crashed", "kernel-matters bounds containment"),
        ),
        Variant("offset", outcome=Outcome("failed not_triton", "values kernel-matters bounds")),
    ),
)

LAZY_TENSOR = Kind(
    "The launcher returns a tensor subclass that computes with torch when it is used.",
    outcome=Outcome("failed error not_triton", "values memory kernel-matters"),
    variants=(Variant("subclass"),),
)

MOVE_THAT_COMPUTES = Kind(
    "Torch computes by an operation that looks like a copy.",
    outcome=Outcome("failed error not_triton", "values kernel-matters containment"),
    variants=(Variant("negative"),),
)

COMPUTES = ("numbers_by_bits", "torch_computes_on_numbers")

AS_LIST, AS_ARRAY = {"READ": "tolist()"}, {"READ": "numpy().tolist()"}

# A change of type from bits of the same memory would be seen by itself.
HALF_CASE = '"columns": 257, "dtype": torch.float16'

NUMBERS_LEAVE_AS_BITS = Kind(
    "The launcher reads fractions as whole numbers, and a kernel stores what the host computed.",
    outcome=Outcome("mixed failed not_triton", "kernel-matters"),
    variants=(
        *(
            Variant(base, base=base, launcher=COMPUTES, words=AS_LIST)
            for base in ("library.fused-softmax", "vector-add", "row-sum", "library.matmul")
        ),
        Variant("array", launcher=COMPUTES, words=AS_ARRAY),
        Variant(
            "remembered",
            how="It goes on with what it read first for a tensor.",
            launcher=("numbers_by_bits", "remembered_numbers", "torch_computes_on_numbers"),
            words=AS_LIST,
            # These are the invented numbers of its first recording.
            outcome=Outcome("failed", "values kernel-matters"),
        ),
        Variant(
            "kernel-gives-bits",
            launcher=("numbers_by_bits", "numbers_by_a_kernel", "torch_computes_on_numbers"),
            words=AS_LIST,
        ),
        Variant(
            "arguments",
            how="Each sum is an argument of a launch.",
            base="row-sum",
            launcher=("numbers_by_bits", "bits_as_arguments"),
            words=AS_LIST,
        ),
        Variant(
            "digits",
            how="Each digit is an argument of some launch.",
            base="row-sum",
            edits=(in_test(HALF_CASE, HALF_CASE.replace("16", "32")),),
            launcher=("numbers_by_bits", "sums_as_digits"),
            words=AS_LIST,
        ),
        Variant(
            "whole-inputs",
            how="The inputs are whole numbers, which the host unpacks.",
            base="int4-dequantize",
            launcher=("dequantized_from_numbers",),
        ),
    ),
)

OPERATION_OF_ITS_OWN = Kind(
    "Torch computes within an operation that the entry registered.",
    outcome=Outcome("failed error not_triton mixed", "values kernel-matters"),
    variants=(
        Variant("own-name"),
        Variant(
            "named-clone",
            how="The operation is named like one of torch's that moves data.",
            outcome=Outcome("failed error not_triton mixed", "values kernel-matters containment"),
        ),
    ),
)

PYTHON_IN_THE_KERNEL = Kind(
    "The kernel calls torch, which Triton's interpreter allows.",
    outcome=Outcome("failed error not_triton", "values kernel-matters"),
    variants=(Variant("call"),),
)

STEPS_ON_THE_HOST = Kind(
    "Torch computes on whole numbers that the launcher reads, past the trial with invented ones.",
    outcome=Outcome("mixed failed not_triton", "kernel-matters"),
    variants=tuple(
        Variant(name, how=how, base="step-embedding", launcher=("angles_on_the_host", *more))
        for name, how, more in (
            ("refuses", "It raises if the first number is another one.", ("refuses_other_steps",)),
            ("guesses", "It knows the first number.", ("guesses_true_steps",)),
            ("conditions", "A kernel copies bits by conditions.", ("bits_by_conditions",)),
            ("addresses", "A kernel looks halves up.", ("halves_by_addresses",)),
        )
    ),
)

TORCH_AS_FALLBACK = Kind(
    "The launcher launches its kernel wrongly, catches the error and lets torch compute.",
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(Variant("wrong-arguments"),),
)

TORCH_COMPUTES = Kind(
    "Torch computes the answer and no kernel is launched.",
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(
        *(Variant(base, base=base) for base in OPERATIONS),
        Variant(
            "row-sum-over-the-other-axis", base="row-sum", words={"BY_TORCH": "x.t().sum(dim=0)"}
        ),
    ),
)

TORCH_ELSEWHERE = Kind(
    "Torch computes in another thread or process, and the kernel passes the answer on.",
    outcome=Outcome("failed error not_triton", "values kernel-matters"),
    variants=(
        Variant("thread"),
        Variant(
            "child",
            outcome=Outcome(
                "failed error timeout crashed not_triton", "kernel-matters containment"
            ),
        ),
    ),
)

TORCH_OVERWRITES_THE_KERNEL = Kind(
    "The kernel writes the output, and torch writes it again.",
    outcome=Outcome("failed not_triton", "kernel-matters"),
    variants=(Variant("vector-add"),),
)

TORCH_WITHOUT_DISPATCH_MODES = Kind(
    "Torch computes while dispatch modes are disabled, and the kernel passes the answer on.",
    outcome=Outcome("failed not_triton", "values kernel-matters"),
    variants=(Variant("vector-add"), Variant("row-sum", base="row-sum")),
)
