def scaled_square(x, weight):
    return weight * x * x
