def add_noise(x: torch.Tensor, seed: int, amplitude: float) -> torch.Tensor:
    """x plus uniform noise in [-amplitude, amplitude), a function of seed and position."""
    bits = mixed(torch.arange(x.numel(), device=x.device) + seed * 0x9E3779B1).reshape(x.shape)
    noise = (bits >> 8).to(torch.promote_types(x.dtype, torch.float32)) * 2.0**-23 - 1.0
    return (x + amplitude * noise).to(x.dtype)


def mixed(bits: torch.Tensor) -> torch.Tensor:
    """A 32-bit mixing function in 64-bit integers."""
    word = 0xFFFFFFFF
    bits = bits & word
    bits = (bits ^ bits >> 16) * 0x7FEB352D & word
    bits = (bits ^ bits >> 15) * 0x846CA68B & word
    return bits ^ bits >> 16
