def int8_matmul(a, b, a_scale, b_scale):
    """A product of int8 matrices, scaled by row and by column."""
    # Whole numbers up to 2^53 are exact in float64.
    product = (a.double() @ b.double()).float()
    return product * a_scale[:, None] * b_scale[None, :]
