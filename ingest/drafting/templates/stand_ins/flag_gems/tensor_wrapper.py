import torch


def StridedBuffer(base, shape=None, strides=None, dtype=None, offset=0):
    """Return a view of the tensor's memory."""
    shape = base.shape if shape is None else shape
    strides = base.stride() if strides is None else strides
    return torch.as_strided(base, shape, strides, base.storage_offset() + offset)
