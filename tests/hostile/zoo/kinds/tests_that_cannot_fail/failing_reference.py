"""The reference raises, and the test takes two errors for agreement."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_reference, in_test

KIND = Kind(
    outcome=Outcome("failed error vacuous", "own-test values test-can-fail"),
    variants=(
        Variant(
            name="not-implemented",
            edits=(
                in_reference("return x + y", "raise NotImplementedError"),
                in_test(
                    (
                        "    expected, actual = reference(*inputs), candidate(*inputs)\n"
                        '    rtol, atol = TOLERANCE[case["dtype"]]\n'
                        "    assert actual.shape == expected.shape\n"
                        "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)\n"
                    ),
                    (
                        "    for function in (reference, candidate):\n"
                        "        with pytest.raises(NotImplementedError):\n"
                        "            function(*inputs)\n"
                    ),
                ),
            ),
            launcher=("failing_reference",),
        ),
    ),
)
