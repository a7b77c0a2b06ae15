"""What drafted code asks of transformers: whether this is a machine of another kind."""


def is_torch_npu_available(check_device=False):
    """A pair is for a GPU, or for Triton's interpreter."""
    return False
