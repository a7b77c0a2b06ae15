def shared(x):
    squared = x**2
    return (squared * x.shape[0]).to(x.dtype)
