"""Numbers in sentences."""


def counted(number: int, thing: str) -> str:
    """`counted(1, "kernel")` is “1 kernel”, `counted(1200, "kernel")` “1,200 kernels”."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
