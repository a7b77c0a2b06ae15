def unary_chain(x):
    return torch.exp(-torch.square(x)), torch.log1p(torch.abs(x))
