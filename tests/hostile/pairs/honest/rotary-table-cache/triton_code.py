import math

import torch
import triton
import triton.language as tl

_TABLES = {}


@triton.jit
def _table(cos, sin, T, half, log_base, BLOCK: tl.constexpr):
    t = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    angle = t.to(tl.float32) * tl.exp(-log_base * i.to(tl.float32) / half)
    tl.store(cos + t * half + i, tl.cos(angle), mask=i < half)
    tl.store(sin + t * half + i, tl.sin(angle), mask=i < half)


@triton.jit
def _rotate(x, y, cos, sin, T, half, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    t = row % T
    i = tl.arange(0, BLOCK)
    m = i < half
    c = tl.load(cos + t * half + i, mask=m)
    s = tl.load(sin + t * half + i, mask=m)
    a = tl.load(x + row * 2 * half + i, mask=m)
    b = tl.load(x + row * 2 * half + half + i, mask=m)
    tl.store(y + row * 2 * half + i, a * c - b * s, mask=m)
    tl.store(y + row * 2 * half + half + i, b * c + a * s, mask=m)


def _tables(T, half, base, device):
    key = (T, half, base, str(device))
    if key not in _TABLES:
        cos = torch.empty(T, half, dtype=torch.float32, device=device)
        sin = torch.empty(T, half, dtype=torch.float32, device=device)
        _table[(T,)](cos, sin, T, half, math.log(base), BLOCK=triton.next_power_of_2(half))
        _TABLES[key] = cos, sin
    return _TABLES[key]


def apply_rotary(x, base=10000.0):
    x = x.contiguous()
    T, D = x.shape[-2:]
    half = D // 2
    cos, sin = _tables(T, half, base, x.device)
    y = torch.empty_like(x)
    _rotate[(x.numel() // D,)](x, y, cos, sin, T, half, BLOCK=triton.next_power_of_2(half))
    return y
