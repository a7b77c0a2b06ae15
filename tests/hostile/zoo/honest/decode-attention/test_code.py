CASES = [
    {"sequences": 1, "positions": 1, "size": 8, "dtype": torch.float32, "seed": 0},
    {"sequences": 2, "positions": 53, "size": 19, "dtype": torch.float32, "seed": 1},
    {"sequences": 1, "positions": 150, "size": 32, "dtype": torch.float32, "seed": 2},
]
TOLERANCE = {torch.float32: (1e-4, 1e-5)}


def make_inputs(case, device):
    """Every sequence has at least one key; the rest of its cache is noise that must not count."""
    generator = torch.Generator().manual_seed(case["seed"])
    sequences, positions, size = case["sequences"], case["positions"], case["size"]
    q = torch.randn(sequences, size, generator=generator)
    cache = torch.randn(positions, 2, sequences, size, generator=generator)
    lengths = torch.randint(1, positions + 1, (sequences,), generator=generator)
    k, v = cache.to(device, case["dtype"]).permute(1, 2, 0, 3).unbind(0)
    return q.to(device, case["dtype"]), k, v, lengths.to(device, torch.int32)
