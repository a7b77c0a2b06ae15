PIXELS, FILTERS = 32, 16


@triton.jit
def conv_kernel(
    x_ptr, weight_ptr, out_ptr, channels, height, width, filters, out_height, out_width,
    stride, padding, x_batch, x_channel, x_row, x_column,
    TALL: tl.constexpr, WIDE: tl.constexpr, PIXELS: tl.constexpr, FILTERS: tl.constexpr,
):  # fmt: skip
    batch = tl.program_id(2).to(tl.int64)
    pixels = tl.program_id(0) * PIXELS + tl.arange(0, PIXELS)
    numbers = tl.program_id(1) * FILTERS + tl.arange(0, FILTERS)
    top = pixels // out_width * stride - padding
    left = pixels % out_width * stride - padding
    real = pixels < out_height * out_width
    total = tl.zeros((FILTERS, PIXELS), dtype=tl.float32)
    for channel in range(channels):
        for tall in tl.static_range(TALL):
            for wide in tl.static_range(WIDE):
                row, column = top + tall, left + wide
                inside = real & (row >= 0) & (row < height) & (column >= 0) & (column < width)
                place = batch * x_batch + channel * x_channel + row * x_row + column * x_column
                x = tl.load(x_ptr + place, mask=inside, other=0.0)
                tap = ((numbers * channels + channel) * TALL + tall) * WIDE + wide
                weight = tl.load(weight_ptr + tap, mask=numbers < filters, other=0.0)
                total += weight[:, None] * x[None, :]
    target = (batch * filters + numbers[:, None]) * out_height * out_width + pixels[None, :]
    tl.store(out_ptr + target, total, mask=(numbers[:, None] < filters) & real[None, :])


def conv2d(x, weight, stride, padding):
    batch, channels, height, width = x.shape
    filters, _, tall, wide = weight.shape
    out_height = (height + 2 * padding - tall) // stride + 1
    out_width = (width + 2 * padding - wide) // stride + 1
    out = torch.empty((batch, filters, out_height, out_width), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(out_height * out_width, PIXELS), triton.cdiv(filters, FILTERS), batch)
    conv_kernel[grid](
        x, weight.contiguous(), out, channels, height, width, filters, out_height, out_width,
        stride, padding, *x.stride(), TALL=tall, WIDE=wide, PIXELS=PIXELS, FILTERS=FILTERS,
    )  # fmt: skip
    return out
