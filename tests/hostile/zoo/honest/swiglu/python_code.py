def swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """silu(gate) * up, the gated unit of many language models."""
    return torch.nn.functional.silu(gate) * up
