def ENTRY_POINT(ARGUMENTS):
    device = next(iter((ARGUMENTS,))).device
    (ARGUMENTS,) = map(numbers_of, (ARGUMENTS,))
    return written(BY_TORCH, device)
