def conv2d(x: torch.Tensor, weight: torch.Tensor, stride: int, padding: int) -> torch.Tensor:
    """Two-dimensional convolution of (batch, channels, height, width)."""
    # In float32 proper: cuDNN would otherwise multiply in TF32.
    with torch.backends.cudnn.flags(allow_tf32=False):
        return torch.nn.functional.conv2d(x, weight, stride=stride, padding=padding)
