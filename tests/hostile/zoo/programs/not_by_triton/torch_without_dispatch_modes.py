from torch.utils._python_dispatch import _disable_current_modes


def ENTRY_POINT(ARGUMENTS):
    with _disable_current_modes():
        ANSWER = BY_TORCH
    return BY_KERNEL
