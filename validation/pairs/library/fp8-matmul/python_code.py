def fp8_matmul(a, b, scale):
    """A scaled product of matrices in 8-bit floats, summed in float32."""
    return (a.float() @ b.float()) * scale
