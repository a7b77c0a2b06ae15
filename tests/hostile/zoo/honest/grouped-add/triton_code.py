BLOCK = 256


@triton.jit
def grouped_add_kernel(address_ptr, shape_ptr, BLOCK: tl.constexpr):
    group = tl.program_id(0)
    offsets = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < tl.load(shape_ptr + 3 * group)
    x_stride = tl.load(shape_ptr + 3 * group + 1)
    y_stride = tl.load(shape_ptr + 3 * group + 2)
    kind = tl.pointer_type(tl.float32)
    x_ptr = tl.load(address_ptr + 3 * group).to(kind)
    y_ptr = tl.load(address_ptr + 3 * group + 1).to(kind)
    out_ptr = tl.load(address_ptr + 3 * group + 2).to(kind)
    x = tl.load(x_ptr + offsets * x_stride, mask=mask)
    y = tl.load(y_ptr + offsets * y_stride, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def grouped_add(xs, ys):
    device = xs[0].device
    outs = [torch.empty(x.shape, dtype=x.dtype, device=device) for x in xs]
    triples = zip(xs, ys, outs, strict=True)
    addresses = [each.data_ptr() for triple in triples for each in triple]
    shapes = [(x.numel(), x.stride(0), y.stride(0)) for x, y in zip(xs, ys, strict=True)]
    longest = max(x.numel() for x in xs)
    grouped_add_kernel[(len(xs), triton.cdiv(longest, BLOCK))](
        torch.tensor(addresses, device=device), torch.tensor(shapes, device=device), BLOCK=BLOCK
    )
    return outs
