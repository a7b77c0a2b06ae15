CASES = [
    {"shape": (1,), "dtype": torch.float32, "seed": 0},
    {"shape": (17, 61), "dtype": torch.float32, "seed": 1},
    {"shape": (3, 5, 400), "dtype": torch.float16, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["shape"]).to(device, case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    torch.testing.assert_close(
        candidate(x), reference(x), rtol=2e-3, atol=1e-3
    ) if x.dtype == torch.float16 else torch.testing.assert_close(
        candidate(x), reference(x), rtol=1e-5, atol=1e-6
    )
