def stable_argsort(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The sorted integers and where each came from; equals stay in their order."""
    return torch.sort(x, stable=True)
