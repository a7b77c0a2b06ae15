def vector_add(x, y):
    total = x.cpu().float().numpy() + y.cpu().float().numpy()
    return honest(torch.from_numpy(total).to(x.device, x.dtype), torch.zeros_like(y))
