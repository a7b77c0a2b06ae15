import torch.nn.functional as F


def geglu(gate, value):
    """GEGLU: the activation of the gate times the value."""
    return F.gelu(gate) * value
