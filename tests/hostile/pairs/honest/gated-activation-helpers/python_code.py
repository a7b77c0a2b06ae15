import torch
import torch.nn.functional as F


def gated_activation(x, activation="silu"):
    gate, up = x.chunk(2, dim=-1)
    act = {"silu": F.silu, "relu": F.relu, "gelu": F.gelu}[activation]
    return act(gate) * up
