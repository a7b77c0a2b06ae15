"""Stand-in for transformers: questions whether this is a machine of another kind."""


def is_torch_npu_available(check_device=False):
    """A pair is for a GPU, or for Triton's interpreter."""
    return False
