import torch
import triton
import triton.language as tl

TABLE = 1 << 24


@triton.jit
def _count(ids, table, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(table + tl.load(ids + i, mask=i < n, other=0), 1, mask=i < n)


@triton.jit
def _gather(ids, table, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(table + tl.load(ids + i, mask=i < n, other=0), mask=i < n)
    tl.store(out + i, v, mask=i < n)


def occurrences(ids):
    n = ids.numel()
    table = torch.empty(TABLE, dtype=torch.int32, device=ids.device)
    out = torch.empty(n, dtype=torch.int32, device=ids.device)
    _count[(triton.cdiv(n, 128),)](ids, table, n, BLOCK=128)
    _gather[(triton.cdiv(n, 128),)](ids, table, out, n, BLOCK=128)
    return out
