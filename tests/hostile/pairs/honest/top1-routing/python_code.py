def route_top1(logits):
    probs = torch.softmax(logits.float(), dim=-1)
    weight, expert = probs.max(dim=-1)
    return weight, expert.to(torch.int32)
