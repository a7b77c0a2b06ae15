def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
    """Softmax attention over (batch, heads, positions, size)."""
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
