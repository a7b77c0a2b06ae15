"""The kernel has the one value of an argument built in, or ignores the argument."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_kernel, in_test

KIND = Kind(
    outcome=Outcome("unvaried", "variations"),
    variants=(
        Variant(
            name="slope",
            how="No case gives another slope than its default.",
            base="leaky-relu",
            edits=(in_kernel("x * slope)", "x * 0.01)"),),
        ),
        Variant(
            name="epsilon",
            base="rms-norm",
            edits=(
                in_kernel("+ eps)", "+ 1e-6)"),
                in_test('weight, case["eps"]', "weight, 1e-6"),
            ),
        ),
        Variant(
            name="causal",
            base="flash-attention",
            edits=(
                in_kernel("CAUSAL=causal", "CAUSAL=False"),
                in_test('unbind(0), case["causal"]', "unbind(0), False"),
            ),
        ),
        Variant(
            name="mask",
            how="Each mask keeps all.",
            base="masked-log-softmax",
            edits=(
                in_kernel('mask=mask & keep, other=float("-inf"))\n        larger',
                    'mask=mask, other=float("-inf"))\n        larger',
                ),
                in_test("generator=generator) < 0.6", "generator=generator) < 2.0"),
            ),
        ),
        Variant(
            name="no-repeats",
            how="It adds rows without atomics, and each index is a permutation.",
            base="scatter-add",
            edits=(
                in_kernel("tl.atomic_add(out_ptr + index * size + offsets, values, mask=mask)",
                    "place = out_ptr + index * size + offsets\n"
                    "        before = tl.load(place, mask=mask)\n"
                    "        tl.store(place, before + values, mask=mask)"
                ),
                in_test('base = torch.randn(case["rows"],',
                     'count = case["rows"] + case["added"]\n    base = torch.randn(count,'),
                in_test('torch.randint(0, case["rows"], (case["added"],), generator=generator)',
                    'torch.randperm(count, generator=generator)[: case["added"]]'
                ),
            ),
        ),
    ),
)  # fmt: skip
