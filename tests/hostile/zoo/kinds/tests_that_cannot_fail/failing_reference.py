"""The reference raises, and the test takes two errors for agreement."""

from tests.hostile.zoo.catalog import Edit, Kind, Outcome, Variant

KIND = Kind(
    outcome=Outcome("failed error vacuous", "own-test values test-can-fail"),
    variants=(
        Variant(
            name="not-implemented",
            edits=(
                Edit("python_code", "return x + y", "raise NotImplementedError"),
                Edit(
                    "test_code",
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
