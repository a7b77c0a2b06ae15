CASES = [
    {"rows": 1, "columns": 1, "dtype": torch.float32, "layout": "rows", "seed": 0},
    {"rows": 5, "columns": 97, "dtype": torch.float32, "layout": "columns", "seed": 1},
    {"rows": 3, "columns": 300, "dtype": torch.int32, "layout": "rows", "seed": 2},
    {"rows": 2, "columns": 250, "dtype": torch.float32, "layout": "rows", "seed": 3},
]
TOLERANCE = {torch.float32: (1e-5, 1e-4), torch.int32: (0.0, 0.0)}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = 4.0 * torch.randn(case["rows"], case["columns"], generator=generator)
    x = x.to(device, case["dtype"])
    return (x.t().contiguous().t() if case["layout"] == "columns" else x,)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    inputs = make_inputs(case, DEVICE)
    expected, actual = reference(*inputs), candidate(*inputs)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert (actual.shape, actual.dtype) == (expected.shape, expected.dtype)
    assert torch.allclose(actual, expected, rtol=rtol, atol=atol)
