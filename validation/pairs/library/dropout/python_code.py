import torch


def dropout(x, p, seed):
    """Drop each element with probability p and scale the rest; the seed decides which."""
    kept = uniform(x.numel(), seed, x.device).view(x.shape) >= p
    return torch.where(kept, x / (1.0 - p), torch.zeros_like(x))


def uniform(count, seed, device):
    """Philox 4x32 in ten rounds with the counters 0, 1, 2, …: the first word of each as a float."""
    word = 0xFFFFFFFF
    c0 = torch.arange(count, device=device)
    c1, c2, c3 = torch.zeros_like(c0), torch.zeros_like(c0), torch.zeros_like(c0)
    k0, k1 = seed & word, (seed >> 32) & word
    for _ in range(10):
        high_0, low_0 = product(c0, 0xD2511F53)
        high_2, low_2 = product(c2, 0xCD9E8D57)
        c0, c1, c2, c3 = high_2 ^ c1 ^ k0, low_2, high_0 ^ c3 ^ k1, low_0
        k0, k1 = (k0 + 0x9E3779B9) & word, (k1 + 0xBB67AE85) & word
    # The word as a signed number, folded onto [0, 1).
    signed = torch.where(c0 > 0x7FFFFFFF, word - c0, c0)
    return signed.float() * 4.6566127342e-10


def product(a, factor):
    """The upper and the lower 32 bits, by halves: 64 bits with a sign can't hold the whole."""
    low, high = a * (factor & 0xFFFF), a * (factor >> 16)
    total = (low >> 16) + high
    return total >> 16, ((total & 0xFFFF) << 16) | (low & 0xFFFF)
