"""The launcher reads fractions as whole numbers, and a kernel stores what the host computed."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test

COMPUTES = ("numbers_by_bits", "torch_computes_on_numbers")
AS_LIST, AS_ARRAY = {"READ": "tolist()"}, {"READ": "numpy().tolist()"}

# A change of type from bits of the same memory would be seen by itself.
HALF_CASE = '"columns": 257, "dtype": torch.float16'

KIND = Kind(
    outcome=Outcome("mixed failed not_triton", "kernel-matters"),
    variants=(
        *(
            Variant(name=base, base=base, launcher=COMPUTES, words=AS_LIST)
            for base in ("softmax", "vector-add", "row-sum", "matmul")
        ),
        Variant(name="array", launcher=COMPUTES, words=AS_ARRAY),
        Variant(
            name="remembered",
            how="It goes on with what it read first for a tensor.",
            launcher=("numbers_by_bits", "remembered_numbers", "torch_computes_on_numbers"),
            words=AS_LIST,
            # These are the invented numbers of its first recording.
            outcome=Outcome("failed", "values kernel-matters"),
        ),
        Variant(
            name="kernel-gives-bits",
            launcher=("numbers_by_bits", "numbers_by_a_kernel", "torch_computes_on_numbers"),
            words=AS_LIST,
        ),
        Variant(
            name="arguments",
            how="Each sum is an argument of a launch.",
            base="row-sum",
            launcher=("numbers_by_bits", "bits_as_arguments"),
            words=AS_LIST,
        ),
        Variant(
            name="digits",
            how="Each digit is an argument of some launch.",
            base="row-sum",
            edits=(in_test(HALF_CASE, HALF_CASE.replace("16", "32")),),
            launcher=("numbers_by_bits", "sums_as_digits"),
            words=AS_LIST,
        ),
        Variant(
            name="whole-inputs",
            how="The inputs are whole numbers, which the host unpacks.",
            base="int4-dequantize",
            launcher=("dequantized_from_numbers",),
        ),
    ),
)
