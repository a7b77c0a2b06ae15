CASES = [
    {"tokens": 1, "experts": 1, "dtype": torch.float32, "seed": 0},
    {"tokens": 31, "experts": 8, "dtype": torch.float32, "seed": 1},
    {"tokens": 64, "experts": 60, "dtype": torch.float32, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    return (torch.randn(case["tokens"], case["experts"]).to(device, case["dtype"]),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (logits,) = make_inputs(case, DEVICE)
    w, e = candidate(logits)
    rw, re = reference(logits)
    assert torch.equal(e, re)
    torch.testing.assert_close(w, rw, rtol=1e-5, atol=1e-6)
