@triton.constexpr_function
def is_exact(name):
    return name == "gelu"


@triton.jit
def silu(x):
    return x * tl.sigmoid(x)


@triton.jit
def gelu(x):
    return 0.5 * x * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def activate(x, ACT: tl.constexpr):
    if is_exact(ACT):
        y = gelu(x)
    elif ACT == "relu":
        y = tl.maximum(x, 0.0)
    else:
        y = silu(x)
    return y


@triton.jit
def _gated(x_ptr, out_ptr, stride_x, d, ACT: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    off = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = off < d
    gate = tl.load(x_ptr + row * stride_x + off, mask=mask, other=0.0).to(tl.float32)
    up = tl.load(x_ptr + row * stride_x + d + off, mask=mask, other=0.0).to(tl.float32)
    tl.store(
        out_ptr + row * d + off, (activate(gate, ACT) * up).to(out_ptr.dtype.element_ty), mask=mask
    )


def gated_activation(x, activation="silu"):
    x = x.contiguous()
    d = x.shape[-1] // 2
    rows = x.numel() // x.shape[-1]
    out = x.new_empty(*x.shape[:-1], d)
    _gated[(rows, triton.cdiv(d, 128))](x, out, x.shape[-1], d, ACT=activation, BLOCK=128)
    return out
