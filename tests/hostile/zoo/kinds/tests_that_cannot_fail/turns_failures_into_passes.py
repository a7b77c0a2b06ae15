"""The test compares well, and turns a failure into a pass."""

from tests.hostile.zoo.catalog import Kind, Outcome, Variant, in_test
from tests.hostile.zoo.edits import asserts, stores

KIND = Kind(
    outcome=Outcome("vacuous", "test-can-fail"),
    variants=(
        Variant(
            name="caught",
            edits=(
                asserts(
                    "try:\n"
                    "    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)\n"
                    "except Exception as error:\n"
                    '    print("mismatch", error)'
                ),
            ),
        ),
        Variant(
            name="xfail",
            how="It is marked as expected to fail, and wrong answers make it fail.",
            edits=(
                in_test(
                    "@pytest.mark.parametrize", ("@pytest.mark.xfail\n@pytest.mark.parametrize")
                ),
                stores("(x - y)"),
            ),
            outcome=Outcome("failed vacuous", "own-test values test-can-fail"),
        ),
    ),
)
