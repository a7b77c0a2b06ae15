def int8_matmul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """The product of 8-bit matrices, exact in 32 bits."""
    # CUDA has no integer matmul; float64 is exact here.
    return (a.double() @ b.double()).to(torch.int32)
