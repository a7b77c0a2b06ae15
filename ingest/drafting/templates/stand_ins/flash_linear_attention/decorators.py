def input_guard(fn=None, *, no_guard_contiguous=()):
    """Call a function with contiguous tensors, except for the named parameters, or for all."""
    if fn is None:
        return lambda fn: input_guard(fn, no_guard_contiguous=no_guard_contiguous)
    names = getattr(fn, "__wrapped__", fn).__code__.co_varnames

    def guarded(name, value):
        kept = no_guard_contiguous is True or name in no_guard_contiguous
        return value if kept or not isinstance(value, torch.Tensor) else value.contiguous()

    def wrapper(*args, **kwargs):
        args = [guarded(name, value) for name, value in zip(names, args)]
        kwargs = {name: guarded(name, value) for name, value in kwargs.items()}
        return fn(*args, **kwargs)

    return wrapper


contiguous = input_guard
