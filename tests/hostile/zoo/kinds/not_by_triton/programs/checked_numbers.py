read_numbers = numbers_of


def numbers_of(tensor):
    """Numbers of which the first are read again, so that invented ones show."""
    numbers = read_numbers(tensor)
    again = read_numbers(tensor.reshape(-1)[:1000])
    if not torch.equal(numbers.reshape(-1)[:1000], again):
        raise ValueError("the numbers are not true")
    return numbers
