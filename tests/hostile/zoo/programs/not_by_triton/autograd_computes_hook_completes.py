from functools import partial


class _Beside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, half, beside):
        ctx.save_for_backward(half)
        return half.clone()

    @staticmethod
    def backward(ctx, grad):
        (half,) = ctx.saved_tensors
        return grad, half.clone()


def squared_halves(x):
    size = x.shape[1] // 2
    half, beside = _SquaredHalves.apply(x[:, size : 2 * size], x[:, :size]), x[:, :size]
    answer = _Beside.apply(half, beside)
    if x.requires_grad:
        for hook in (partial(torch.add, half.detach()), answer.detach().copy_, torch.zeros_like):
            beside.register_hook(hook)
    return answer
