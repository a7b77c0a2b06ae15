import math

import torch
import triton
import triton.language as tl

SPLITS = 4


@triton.jit
def partial_kernel(
    q_ptr, k_ptr, v_ptr, lengths_ptr, partial_ptr, level_ptr, positions, scale,
    SIZE: tl.constexpr, CHANNELS: tl.constexpr, KEYS: tl.constexpr, SPLITS: tl.constexpr,
):  # fmt: skip
    sequence, split = tl.program_id(0).to(tl.int64), tl.program_id(1)
    length = tl.load(lengths_ptr + sequence)
    share = tl.cdiv(length, SPLITS)
    end = tl.minimum((split + 1) * share, length)
    channels = tl.arange(0, CHANNELS)
    real = channels < SIZE
    q = tl.load(q_ptr + sequence * SIZE + channels, mask=real, other=0.0)
    largest = tl.full((), float("-inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    gathered = tl.zeros((CHANNELS,), dtype=tl.float32)
    for start in range(split * share, end, KEYS):
        keys = start + tl.arange(0, KEYS)
        inside = (keys[:, None] < end) & real[None, :]
        place = (sequence * positions + keys[:, None]) * SIZE + channels[None, :]
        k = tl.load(k_ptr + place, mask=inside, other=0.0)
        v = tl.load(v_ptr + place, mask=inside, other=0.0)
        scores = tl.where(keys < end, tl.sum(q[None, :] * k, axis=1) * scale, float("-inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=0))
        weights = tl.exp(scores - larger)
        total = total * tl.exp(largest - larger) + tl.sum(weights, axis=0)
        gathered = gathered * tl.exp(largest - larger) + tl.sum(weights[:, None] * v, axis=0)
        largest = larger
    # An empty split has no weight: -inf says so, and its sum is not divided by.
    here = sequence * SPLITS + split
    whole = tl.where(total > 0.0, total, 1.0)
    tl.store(partial_ptr + here * SIZE + channels, gathered / whole, mask=real)
    tl.store(level_ptr + here, tl.where(total > 0.0, largest + tl.log(whole), float("-inf")))


@triton.jit
def join_kernel(partial_ptr, level_ptr, out_ptr, SIZE: tl.constexpr, CHANNELS: tl.constexpr,
                SPLITS: tl.constexpr):  # fmt: skip
    sequence = tl.program_id(0).to(tl.int64)
    splits, channels = tl.arange(0, SPLITS), tl.arange(0, CHANNELS)
    levels = tl.load(level_ptr + sequence * SPLITS + splits)
    weights = tl.exp(levels - tl.max(levels, axis=0))
    place = (sequence * SPLITS + splits[:, None]) * SIZE + channels[None, :]
    partial = tl.load(partial_ptr + place, mask=channels[None, :] < SIZE, other=0.0)
    out = tl.sum(weights[:, None] * partial, axis=0) / tl.sum(weights, axis=0)
    tl.store(out_ptr + sequence * SIZE + channels, out, mask=channels < SIZE)


def decode_attention(q, k, v, lengths):
    sequences, size = q.shape
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    out = torch.empty_like(q)
    partial = torch.empty((sequences, SPLITS, size), dtype=torch.float32, device=q.device)
    levels = torch.empty((sequences, SPLITS), dtype=torch.float32, device=q.device)
    sizes = {"SIZE": size, "CHANNELS": triton.next_power_of_2(size), "SPLITS": SPLITS}
    partial_kernel[(sequences, SPLITS)](
        q, k, v, lengths, partial, levels, k.shape[1], 1.0 / math.sqrt(size), KEYS=16, **sizes
    )
    join_kernel[(sequences,)](partial, levels, out, **sizes)
    return out
