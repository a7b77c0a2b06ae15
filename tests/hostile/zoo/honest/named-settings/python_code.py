def weighted(x: torch.Tensor, settings: dict, weights: dict) -> torch.Tensor:
    """The values times the weight of a level, plus a number."""
    return x * weights[settings["tensor"]] + settings["storage"]
