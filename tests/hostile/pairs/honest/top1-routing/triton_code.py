@triton.jit
def _route(logits, weight, expert, E, BLOCK: tl.constexpr):
    token = tl.program_id(0)
    offs = tl.arange(0, BLOCK)
    x = tl.load(logits + token * E + offs, mask=offs < E, other=-float("inf")).to(tl.float32)
    best = tl.max(x, axis=0)
    tl.store(expert + token, tl.argmax(x, axis=0))
    tl.store(weight + token, 1.0 / tl.sum(tl.exp(x - best), axis=0))


def route_top1(logits):
    T, E = logits.shape
    weight = torch.empty(T, dtype=torch.float32, device=logits.device)
    expert = torch.empty(T, dtype=torch.int32, device=logits.device)
    _route[(T,)](logits, weight, expert, E, BLOCK=triton.next_power_of_2(E))
    return weight, expert
