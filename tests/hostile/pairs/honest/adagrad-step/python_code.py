@torch.no_grad()
def adagrad_step(param, grad, state_sum, lr=0.01, eps=1e-10, weight_decay=0.0):
    grad = grad + weight_decay * param
    state_sum.addcmul_(grad, grad)
    param.addcdiv_(grad, state_sum.sqrt().add_(eps), value=-lr)
