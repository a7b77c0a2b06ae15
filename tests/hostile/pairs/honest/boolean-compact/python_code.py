def compact(x, threshold):
    return x[x > threshold]
