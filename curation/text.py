"""Numbers in sentences."""


def pluralize(number: int, thing: str) -> str:
    """Return a number with its noun: “1 kernel”, “1,200 kernels”."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"
