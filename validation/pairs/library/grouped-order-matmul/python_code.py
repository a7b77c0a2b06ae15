import torch.nn.functional as F


def matmul_bias_gelu(a, b, bias):
    """GELU of a product of matrices plus a bias, in float32 until the end."""
    y = a.float() @ b.float() + bias.float()
    return F.gelu(y).to(a.dtype)
