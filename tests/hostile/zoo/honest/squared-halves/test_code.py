CASES = [
    {"rows": 1, "columns": 2, "dtype": "float32", "seed": 0},
    {"rows": 7, "columns": 131, "dtype": "float32", "seed": 1},
    {"rows": 3, "columns": 1025, "dtype": "float32", "seed": 2},
]
TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}


def make_inputs(case, device):
    generator = torch.Generator().manual_seed(case["seed"])
    x = torch.randn(case["rows"], case["columns"], generator=generator)
    return (x.to(device, getattr(torch, case["dtype"])),)


@pytest.mark.parametrize("case", CASES)
def test_equivalence(case):
    (x,) = make_inputs(case, DEVICE)
    seen = []
    for function in (reference, candidate):
        leaf = x.detach().requires_grad_()
        out = function(leaf)
        weight = torch.linspace(-1, 1, out.numel(), device=out.device).reshape(out.shape)
        seen.append((out, *torch.autograd.grad(out, leaf, weight)))
    for expected, actual in zip(*seen, strict=True):
        assert actual.shape == expected.shape
        assert torch.allclose(actual, expected, **TOLERANCE)
