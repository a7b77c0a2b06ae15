"""Kernels of our own, one for each rule by which a signature is inferred."""

HEAD = """\
import triton
import triton.language as tl


"""


def unit(body: str) -> str:
    return HEAD + body


ADD = unit(
    """\
@triton.jit
def kernel(x, y, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out + offsets, tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask)
"""
)

CHANGED_TYPE = unit(
    """\
@triton.jit
def kernel(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    total = 0
    for start in range(n):
        total = total + tl.load(x + start * BLOCK + offsets)
    tl.store(out + offsets, total)
"""
)

THROUGH_HELPERS = unit(
    """\
@triton.jit
def fetch(source, where):
    return tl.load(shifted(source, where))


@triton.jit
def shifted(base, where):
    moved = base + where
    return moved


@triton.jit
def kernel(a, b, BLOCK: tl.constexpr):
    where = tl.arange(0, BLOCK)
    target = shifted(b, where)
    tl.store(target, fetch(a, where))
"""
)

INDEXED = unit(
    """\
@triton.jit
def kernel(table, rows, out, stride, BLOCK: tl.constexpr):
    row = tl.load(rows + tl.program_id(0))
    columns = tl.arange(0, BLOCK)
    tl.store(out + columns, tl.load(table + row * stride + columns))
"""
)

POINTER_TABLE = unit(
    """\
@triton.jit
def kernel(tables, out, BLOCK: tl.constexpr):
    columns = tl.arange(0, BLOCK)
    table = tl.load(tables + tl.program_id(0)).to(tl.pointer_type(tl.float16))
    tl.store(out + columns, tl.load(table + columns))
"""
)

MATMUL = unit(
    """\
@triton.jit
def kernel(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr, T: tl.constexpr):
    rows, columns, inner = tl.arange(0, M), tl.arange(0, N), tl.arange(0, STEP)
    total = tl.zeros((M, N), dtype=T)
    for k in range(0, K, STEP):
        left = tl.load(a + rows[:, None] * K + (k + inner)[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * N + columns[None, :], total)
"""
)

SWITCHES = unit(
    """\
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
"""
)

# Only with the switch off: the other side names what Triton never had.
ONE_SIDE = unit(
    """\
@triton.jit
def kernel(x, BLOCK: tl.constexpr, OLD: tl.constexpr):
    where = tl.arange(0, BLOCK)
    if OLD:
        tl.store(x + where, tl.never_was_there(where))
    else:
        tl.store(x + where, where)
"""
)

# What a scalar is shows only when the loop's value changes its type.
LOOP_CARRIED = unit(
    """\
@triton.jit
def kernel(out, start, n):
    value = start
    for _ in range(n):
        value = value * 0.5
    tl.store(out, value)
"""
)

TUPLES = unit(
    """\
@triton.jit
def kernel(pointers, strides, BLOCK: tl.constexpr):
    source, target = pointers
    where = tl.arange(0, BLOCK)
    tl.store(target + where * strides[1], tl.load(source + where * strides[0]))
"""
)

CHOSEN = unit(
    """\
@triton.jit
def kernel(a, b, out, n, BLOCK: tl.constexpr):
    where = tl.arange(0, BLOCK)
    source = tl.where(tl.program_id(0) < n, a, b)
    tl.store(out + where, tl.load(source + where))
"""
)

DESCRIPTOR = unit(
    """\
@triton.jit
def kernel(source, target, SIDE: tl.constexpr):
    at = tl.program_id(0) * SIDE
    target.store([at, 0], source.load([at, 0]))
"""
)

TUNED = unit(
    """\
@triton.autotune([triton.Config({"BLOCK": 256}, num_warps=2)], key=["n"])
@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % 256 == 0})
@triton.jit
def kernel(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    where = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    if EVEN:
        tl.store(x + where, 0.0)
    else:
        tl.store(x + where, 0.0, mask=where < n)
"""
)

ASKS_THE_DEVICE = unit(
    """\
import torch

WARP = torch.cuda.get_device_properties(torch.cuda.current_device()).warp_size


@triton.autotune([triton.Config({"BLOCK": 32 * WARP})], key=[])
@triton.jit
def kernel(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 0.0)
"""
)

OLD_LANGUAGE = unit(
    """\
@triton.jit
def kernel(a, c, SIDE: tl.constexpr):
    side = tl.arange(0, SIDE)
    tile = tl.load(a + side[:, None] * SIDE + side[None, :])
    tl.store(c + side[:, None] * SIDE + side[None, :], tl.dot(tile, tile, trans_b=True))
"""
)

MISSING_MODULE = "import nowhere_to_be_found\n" + ADD
LOST_MODULE = "from triton.ops.matmul_perf_model import early_config_prune\n" + ADD

NOT_INFERRED = unit(
    """\
@triton.jit
def kernel(x, N: tl.constexpr):
    tl.static_assert(N == 12345 * 6789)
    tl.store(x, 0)
"""
)

ENDLESS = unit(
    """\
@triton.jit
def kernel(x, N: tl.constexpr):
    for i in tl.static_range(1000000):
        tl.store(x + i, i)
"""
)

COMPILING = {
    name: source
    for name, source in list(globals().items())
    if name.isupper()
    and name
    not in {
        "HEAD", "OLD_LANGUAGE", "MISSING_MODULE", "LOST_MODULE", "NOT_INFERRED", "ENDLESS",
        "CHANGED_TYPE",
    }
}  # fmt: skip
