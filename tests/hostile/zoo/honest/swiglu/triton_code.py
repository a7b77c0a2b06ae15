@triton.jit
def forward_kernel(gate_ptr, up_ptr, out_ptr, columns, gate_row, up_row, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        gate = tl.load(gate_ptr + row * gate_row + offsets, mask=mask).to(tl.float32)
        up = tl.load(up_ptr + row * up_row + offsets, mask=mask).to(tl.float32)
        out = gate * tl.sigmoid(gate) * up
        tl.store(out_ptr + row * columns + offsets, out.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def backward_kernel(
    gate_ptr, up_ptr, grad_ptr, dgate_ptr, dup_ptr, columns, gate_row, up_row, BLOCK: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64)
    for start in range(0, columns, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        mask = offsets < columns
        gate = tl.load(gate_ptr + row * gate_row + offsets, mask=mask).to(tl.float32)
        up = tl.load(up_ptr + row * up_row + offsets, mask=mask).to(tl.float32)
        grad = tl.load(grad_ptr + row * columns + offsets, mask=mask).to(tl.float32)
        sigmoid = tl.sigmoid(gate)
        silu = gate * sigmoid
        dgate = grad * up * (sigmoid + silu * (1.0 - sigmoid))
        here = row * columns + offsets
        tl.store(dgate_ptr + here, dgate.to(dgate_ptr.dtype.element_ty), mask=mask)
        tl.store(dup_ptr + here, (grad * silu).to(dup_ptr.dtype.element_ty), mask=mask)


def rows_of(x):
    """The tensor, with neighbours of a row next to each other in memory."""
    return x if x.stride(-1) == 1 else x.contiguous()


class _SwiGlu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gate, up):
        gate, up = rows_of(gate), rows_of(up)
        rows, columns = gate.shape
        out = torch.empty((rows, columns), dtype=gate.dtype, device=gate.device)
        forward_kernel[(rows,)](gate, up, out, columns, gate.stride(0), up.stride(0), BLOCK=256)
        ctx.save_for_backward(gate, up)
        return out

    @staticmethod
    def backward(ctx, grad):
        gate, up = ctx.saved_tensors
        rows, columns = gate.shape
        dgate = torch.empty((rows, columns), dtype=gate.dtype, device=gate.device)
        dup = torch.empty((rows, columns), dtype=up.dtype, device=up.device)
        strides = gate.stride(0), up.stride(0)
        backward_kernel[(rows,)](
            gate, up, grad.contiguous(), dgate, dup, columns, *strides, BLOCK=256
        )
        return dgate, dup


def swiglu(gate, up):
    return _SwiGlu.apply(gate, up)
