import torch


def squared_steps(x: torch.Tensor) -> torch.Tensor:
    """The square of what each element of a row is away from the one before."""
    return (x[:, 1:] - x[:, :-1]) ** 2
