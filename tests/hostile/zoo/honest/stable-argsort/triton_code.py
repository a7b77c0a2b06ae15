BLOCK, CHUNK = 32, 128


@triton.jit
def rank_kernel(x_ptr, values_ptr, places_ptr, n, stride, BLOCK: tl.constexpr,
                CHUNK: tl.constexpr):  # fmt: skip
    mine = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = mine < n
    x = tl.load(x_ptr + mine * stride, mask=mask)
    rank = tl.zeros((BLOCK,), dtype=tl.int32)
    for start in range(0, n, CHUNK):
        others = start + tl.arange(0, CHUNK)
        y = tl.load(x_ptr + others * stride, mask=others < n, other=0)
        before = (y[None, :] < x[:, None]) | (
            (y[None, :] == x[:, None]) & (others[None, :] < mine[:, None])
        )
        rank += tl.sum((before & (others[None, :] < n)).to(tl.int32), axis=1)
    tl.store(values_ptr + rank, x, mask=mask)
    tl.store(places_ptr + rank, mine.to(tl.int64), mask=mask)


def stable_argsort(x):
    n = x.numel()
    values = torch.empty(n, dtype=x.dtype, device=x.device)
    places = torch.empty(n, dtype=torch.int64, device=x.device)
    grid = (triton.cdiv(n, BLOCK),)
    rank_kernel[grid](x, values, places, n, x.stride(0), BLOCK=BLOCK, CHUNK=CHUNK)
    return values, places
