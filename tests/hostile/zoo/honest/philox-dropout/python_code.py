def dropout(x: torch.Tensor, p: float, seed: int) -> torch.Tensor:
    """Drops each element with probability p and scales the rest; the seed decides which."""
    uniform = philox_uniform(seed, torch.arange(x.numel(), device=x.device)).reshape(x.shape)
    return torch.where(uniform >= p, x / (1 - p), torch.zeros_like(x))


def philox_uniform(seed: int, counter: torch.Tensor) -> torch.Tensor:
    """Philox 4x32-10 of counters below 2**32, as float32 in [0, 1)."""
    word = 0xFFFFFFFF
    zero = torch.zeros_like(counter)
    c0, c1, c2, c3 = counter, zero, zero, zero
    k0, k1 = seed & word, seed >> 32 & word
    for _ in range(10):
        high_a, low_a = product(c0, 0xD2511F53)
        high_b, low_b = product(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_b ^ c1 ^ k0, low_b, high_a ^ c3 ^ k1, low_a
        k0, k1 = k0 + 0x9E3779B9 & word, k1 + 0xBB67AE85 & word
    # As a signed number, folded to its positive half.
    folded = torch.where(c0 >= 2**31, word - c0, c0)
    return folded.float() * 4.6566127342e-10


def product(x: torch.Tensor, factor: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The high and the low 32 bits of a 64-bit product, in parts that fit signed 64 bits."""
    low = x * (factor & 0xFFFF)
    high = x * (factor >> 16) + (low >> 16)
    return high >> 16, (high & 0xFFFF) << 16 | low & 0xFFFF
