import ctypes


def vector_add(x, y):
    n = x.numel()
    sides = [z.cpu().float().contiguous() for z in (x, y)]
    a, b = ((ctypes.c_float * n).from_address(side.data_ptr()) for side in sides)
    total = torch.empty(n, dtype=torch.float32)
    out = (ctypes.c_float * n).from_address(total.data_ptr())
    for i in range(n):
        out[i] = a[i] + b[i]
    return honest(total.to(x.device, x.dtype), torch.zeros_like(y))
