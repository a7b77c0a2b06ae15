read_numbers = numbers_of


def numbers_of(tensor):
    """Numbers that are read twice, so that invented ones show."""
    once, twice = read_numbers(tensor), read_numbers(tensor)
    if not torch.equal(once, twice):
        raise ValueError("the numbers are not true")
    return once
