def read_steps(steps):
    """Steps that begin with 0, as true ones do."""
    numbers = steps.tolist()
    if numbers[0] != 0:
        raise ValueError("the first step is not 0")
    return numbers
