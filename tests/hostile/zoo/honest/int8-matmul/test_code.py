CASES = [
    {"m": 1, "n": 1, "k": 1, "dtype": torch.int8, "seed": 0},
    {"m": 31, "n": 37, "k": 43, "dtype": torch.int8, "seed": 1},
    {"m": 65, "n": 40, "k": 100, "dtype": torch.int8, "seed": 2},
]
TOLERANCE = {torch.int8: (0.0, 0.0)}


def make_inputs(case, device):
    """The second matrix is stored transposed, as weights are."""
    generator = torch.Generator().manual_seed(case["seed"])
    a, b = (
        torch.randint(-128, 128, (size, case["k"]), generator=generator).to(device, case["dtype"])
        for size in (case["m"], case["n"])
    )
    return a, b.t()


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
