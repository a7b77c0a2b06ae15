CASES = [
    {"tokens": t, "dim": d, "activation": a, "dtype": dt, "seed": 0}
    for (t, d, dt) in [(1, 1, torch.float32), (7, 61, torch.float32), (3, 300, torch.bfloat16)]
    for a in ("silu", "relu", "gelu")
]
TOLERANCE = {torch.float32: (1e-5, 1e-5), torch.bfloat16: (1.6e-2, 1.6e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    x = torch.randn(case["tokens"], 2 * case["dim"])
    return x.to(device, case["dtype"]), case["activation"]


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    x, name = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    torch.testing.assert_close(candidate(x, name), reference(x, name), rtol=rtol, atol=atol)
