def ENTRY_POINT(ARGUMENTS):
    honest(A_PART)
    return BY_TORCH
