# Only with the switch off: the other side names what Triton never had.
@triton.jit
def kernel(x, BLOCK: tl.constexpr, OLD: tl.constexpr):
    where = tl.arange(0, BLOCK)
    if OLD:
        tl.store(x + where, tl.never_was_there(where))
    else:
        tl.store(x + where, where)
