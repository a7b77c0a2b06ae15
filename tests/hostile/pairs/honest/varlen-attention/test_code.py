CASES = [
    {"lengths": (1,), "heads": 1, "head_dim": 16, "dtype": torch.float16, "seed": 0},
    {"lengths": (5, 40, 17), "heads": 2, "head_dim": 32, "dtype": torch.float16, "seed": 1},
    {"lengths": (40, 33, 1, 7), "heads": 1, "head_dim": 64, "dtype": torch.float16, "seed": 2},
]
if DEVICE == "cuda":  # the interpreter's dot does not know bfloat16
    CASES.append(
        {"lengths": (9, 50), "heads": 1, "head_dim": 32, "dtype": torch.bfloat16, "seed": 3}
    )
SIZES = {"head_dim": [16, 32, 64]}
TOLERANCE = {torch.float16: (1e-2, 1e-2), torch.bfloat16: (3e-2, 3e-2)}


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    lengths = torch.tensor(case["lengths"])
    cu = torch.zeros(len(lengths) + 1, dtype=torch.int32)
    cu[1:] = lengths.cumsum(0)
    shape = (int(cu[-1]), case["heads"], case["head_dim"])
    q, k, v = (torch.randn(shape).to(device, case["dtype"]) for _ in range(3))
    return q, k, v, cu.to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    args = make_inputs(case, DEVICE)
    rtol, atol = TOLERANCE[case["dtype"]]
    torch.testing.assert_close(candidate(*args), reference(*args), rtol=rtol, atol=atol)
