def row_mean(x):
    return x.mean(dim=1)
