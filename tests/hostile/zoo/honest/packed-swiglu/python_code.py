def packed_swiglu(both: torch.Tensor) -> torch.Tensor:
    """silu(gate) * up, where each row of `both` holds a gate and then an up."""
    gate, up = both.chunk(2, dim=-1)
    return torch.nn.functional.silu(gate) * up
