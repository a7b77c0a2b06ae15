import torch
import torch.nn.functional as F


def add_rms_norm(x, residual, weight, eps=1e-5):
    s = x + residual
    return F.rms_norm(s.float(), s.shape[-1:], weight.float(), eps).to(x.dtype), s
