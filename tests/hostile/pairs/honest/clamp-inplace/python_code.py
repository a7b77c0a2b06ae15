def scale_clamp_(x, scale, limit):
    return x.mul_(scale).clamp_(-limit, limit)
