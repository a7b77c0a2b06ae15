@triton.jit
def kernel(a, c, SIDE: tl.constexpr):
    side = tl.arange(0, SIDE)
    tile = tl.load(a + side[:, None] * SIDE + side[None, :])
    tl.store(c + side[:, None] * SIDE + side[None, :], tl.dot(tile, tile, trans_b=True))
