def linear_recurrence(decay: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """h[t] = decay[t] * h[t - 1] + x[t] in each row, from h = 0."""
    state = torch.zeros_like(x[:, 0])
    states = []
    for time in range(x.shape[1]):
        state = decay[:, time] * state + x[:, time]
        states.append(state)
    return torch.stack(states, dim=1)
