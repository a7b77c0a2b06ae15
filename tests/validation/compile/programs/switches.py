@triton.jit
def kernel(x, bias, out, scale, KIND: tl.constexpr, HAS_BIAS: tl.constexpr, BLOCK: tl.constexpr):
    where = tl.arange(0, BLOCK)
    value = tl.load(x + where)
    if HAS_BIAS:
        value += tl.load(bias + where)
    if KIND == "exp":
        value = tl.exp(value * scale)
    elif KIND == "half":
        value = value * 0.5
    else:
        tl.static_assert(False, "no such kind")
    tl.store(out + where, value)
