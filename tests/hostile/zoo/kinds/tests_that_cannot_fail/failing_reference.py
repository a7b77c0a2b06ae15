"""The reference raises, and the test takes two errors for agreement."""

from tests.hostile.zoo.catalog import Check, Edit, Kind, Outcome, Variant, Verdict

KIND = Kind(
    outcome=Outcome(
        expected={Verdict.FAILED, Verdict.ERROR, Verdict.VACUOUS},
        caught_by={Check.OWN_TEST, Check.VALUES, Check.TEST_CAN_FAIL},
    ),
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
