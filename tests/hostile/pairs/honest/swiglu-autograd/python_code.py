import torch.nn.functional as F


def swiglu(gate, up):
    return F.silu(gate) * up
