from functools import partial


def squared_halves(x):
    half = x.shape[1] // 2
    out = _SquaredHalves.apply(x[:, half : 2 * half], x[:, :half])
    if out.requires_grad:
        out.register_hook(partial(torch.add, torch.zeros_like(out.detach()), alpha=4))
    return out.view(out.shape)
