@triton.jit
def kernel(table, rows, out, stride, BLOCK: tl.constexpr):
    row = tl.load(rows + tl.program_id(0))
    columns = tl.arange(0, BLOCK)
    tl.store(out + columns, tl.load(table + row * stride + columns))
