from torch.utils._python_dispatch import _disable_current_modes

honest = ENTRY_POINT


def ENTRY_POINT(ARGUMENTS):
    with _disable_current_modes():
        ANSWER = BY_TORCH
    return BY_KERNEL
