import torch.nn.functional as F


def swiglu(gate, value):
    """SwiGLU: the activation of the gate times the value."""
    return F.silu(gate) * value
