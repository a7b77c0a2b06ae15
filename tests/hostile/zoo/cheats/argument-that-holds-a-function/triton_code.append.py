class extra:
    __getattr__ = functools.partial(asked)
