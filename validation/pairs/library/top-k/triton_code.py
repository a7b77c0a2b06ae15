"""The k largest of each row and where they stand."""

import torch
import triton
import triton.language as tl


@triton.jit
def top_k_kernel(
    x_ptr,
    values_ptr,
    places_ptr,
    n_cols,
    k,
    stride_m,
    stride_n,
    BLOCK_SIZE: tl.constexpr,
):
    """Each program takes the largest of one row k times, by keys that hold value and place."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK_SIZE)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * stride_m + cols * stride_n, mask=mask, other=0.0).to(tl.float32)
    # Both zeros are equal, though their bits are not.
    x = tl.where(x == 0.0, 0.0, x)
    bits = x.to(tl.int32, bitcast=True)
    # As whole numbers, negative floats stand in the opposite order: flip all but their sign. NaN
    # is the largest, whatever its sign.
    ordered = tl.where(bits < 0, bits ^ 0x7FFFFFFF, bits)
    ordered = tl.where(x != x, 0x7FC00000, ordered).to(tl.int64)
    # Of equal values the one with the larger lower half wins: the first place.
    key = ordered * 4294967296 + (BLOCK_SIZE - 1 - cols)
    lowest = -0x7FFFFFFFFFFFFFFF
    key = tl.where(mask, key, lowest)
    for rank in range(k):
        best = tl.max(key, axis=0)
        place = BLOCK_SIZE - 1 - (best & 0xFFFFFFFF)
        tl.store(values_ptr + row * k + rank, tl.load(x_ptr + row * stride_m + place * stride_n))
        tl.store(places_ptr + row * k + rank, place)
        # No two keys are the same, so this takes out one.
        key = tl.where(key == best, lowest, key)


def top_k(x, k):
    """`x` is a matrix of floats of any strides with at least k columns; best where k is small."""
    n_rows, n_cols = x.shape
    values = torch.empty((n_rows, k), dtype=x.dtype, device=x.device)
    places = torch.empty((n_rows, k), dtype=torch.int64, device=x.device)
    if values.numel() == 0:
        return values, places
    top_k_kernel[(n_rows,)](
        x,
        values,
        places,
        n_cols,
        k,
        *x.stride(),
        BLOCK_SIZE=max(16, triton.next_power_of_2(n_cols)),
    )
    return values, places
