import torch.nn.functional as F


def conv2d(x, weight, bias, stride):
    """A convolution over batch, channel, row, column, without padding."""
    return F.conv2d(x, weight, bias, stride=stride)
