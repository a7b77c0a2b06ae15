def linear_relu(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    """relu(x @ weight + bias) for a batch of matrices; the bias may be left out."""
    out = torch.matmul(x, weight)
    if bias is not None:
        out = out + bias
    return torch.relu(out)
