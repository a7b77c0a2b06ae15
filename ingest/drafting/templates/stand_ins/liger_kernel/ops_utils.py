def ensure_contiguous(fn):
    """Call a function with contiguous tensors."""

    def wrapper(*args, **kwargs):
        args = [x.contiguous() if isinstance(x, torch.Tensor) else x for x in args]
        kwargs = {
            name: x.contiguous() if isinstance(x, torch.Tensor) else x for name, x in kwargs.items()
        }
        return fn(*args, **kwargs)

    return wrapper
