CASES = [
    {"m": 1, "n": 8, "k": 8, "dtype": torch.float16, "seed": 0},
    {"m": 47, "n": 40, "k": 72, "dtype": torch.float16, "seed": 1},
    {"m": 128, "n": 96, "k": 160, "dtype": torch.float16, "seed": 2},
]
if DEVICE == "cuda":  # the interpreter's dot does not know bfloat16
    CASES.append({"m": 64, "n": 128, "k": 256, "dtype": torch.bfloat16, "seed": 3})
SIZES = {"n": {"multiple_of": 8}, "k": {"multiple_of": 8}}
TOLERANCE = {torch.float16: (2e-2, 2e-2), torch.bfloat16: (2e-2, 1e-1)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    a = torch.randn(case["m"], case["k"]).to(device, case["dtype"])
    b = torch.randn(case["k"], case["n"]).to(device, case["dtype"])
    return a, b


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    a, b = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    assert torch.allclose(candidate(a, b), reference(a, b), rtol=rtol, atol=atol)
