CASES = [
    {"tokens": 1, "heads": 1, "dim": 1, "spare": 0, "dtype": torch.float32, "seed": 0},
    {"tokens": 5, "heads": 2, "dim": 13, "spare": 7, "dtype": torch.float32, "seed": 1},
    {"tokens": 33, "heads": 4, "dim": 64, "spare": 31, "dtype": torch.float16, "seed": 2},
]


def make_inputs(case, device):
    torch.manual_seed(case["seed"])
    slots = case["tokens"] + case["spare"]
    shape = (case["heads"], case["dim"])
    k, v = (torch.randn(case["tokens"], *shape).to(device, case["dtype"]) for _ in range(2))
    k_cache, v_cache = (torch.randn(slots, *shape).to(device, case["dtype"]) for _ in range(2))
    return k, v, k_cache, v_cache, torch.randperm(slots)[: case["tokens"]].to(device)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    k, v, k_cache, v_cache, slots = make_inputs(case, DEVICE)
    k_ref, v_ref = k_cache.clone(), v_cache.clone()
    reference(k, v, k_ref, v_ref, slots)
    candidate(k, v, k_cache, v_cache, slots)
    assert torch.equal(k_ref, k_cache)
    assert torch.equal(v_ref, v_cache)
