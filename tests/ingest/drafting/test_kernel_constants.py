"""Constants that every launch gives decide the branches of a kernel."""

import textwrap


def text(code: str) -> str:
    return textwrap.dedent(code).lstrip("\n")


SCALE = text(
    """
    @triton.autotune(configs=CONFIGS, key=["n", "HAS_BIAS"])
    @triton.jit(do_not_specialize=["n"])
    def scale_kernel(x, bias, y, n, HAS_BIAS: constexpr, REVERSE: constexpr, BLOCK: constexpr):
        offsets = tl.arange(0, BLOCK)
        value = tl.load(x + offsets, offsets < n)
        if HAS_BIAS:
            b = tl.load(bias + offsets, offsets < n)
            value += b
        else:
            b = None
        value = -value if REVERSE and BLOCK > 1 else value
        tl.store(y + offsets, value, offsets < n)


    def scale(x, y):
        scale_kernel[(1,)](x, None, y, x.numel(), HAS_BIAS=False, REVERSE=True, BLOCK=16)
        return y
    """
)


HANDED_ON = text(
    """
    @triton.jit
    def kernel(x, state, WIDE: tl.constexpr):
        if state is not None:
            tl.store(x, tl.load(state))


    def launch(x, state=None):
        state = state.contiguous()
        kernel[(1,)](x, state, WIDE=state is not None)
        return x


    def middle(x, state):
        if state is None:
            state = torch.zeros(4)
        return launch(x, state=state)


    def entry(x, state):
        return middle(x, state)
    """
)
