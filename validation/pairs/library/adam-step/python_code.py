import torch


def adam_step(parameter, grad, mean, square, step, lr=1e-3, decay=0.01):
    """One step of AdamW: the new parameter and both new moments."""
    mean = 0.9 * mean + 0.1 * grad
    square = 0.999 * square + 0.001 * grad * grad
    denominator = torch.sqrt(square / (1.0 - 0.999**step)) + 1e-8
    parameter = parameter * (1.0 - lr * decay)
    return parameter - lr * (mean / (1.0 - 0.9**step)) / denominator, mean, square
