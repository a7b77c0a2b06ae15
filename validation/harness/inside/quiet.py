"""While data is shown, neither the garbage collector nor NumPy's errors nor what is printed calls
anybody."""

import gc
import sys

import numpy as np

# Those of the process that forked this one.
PRINTS = sys.stdout, sys.stderr


class Quiet:
    """As it was when this was made, but from `begin` to `end`."""

    def __init__(self) -> None:
        self.collects, self.errors = gc.isenabled(), np.geterr()
        self.prints = sys.stdout, sys.stderr

    def begin(self) -> None:
        gc.disable()
        np.seterr(all="ignore")
        sys.stdout, sys.stderr = PRINTS

    def end(self) -> None:
        sys.stdout, sys.stderr = self.prints
        np.seterr(**self.errors)
        if self.collects:
            gc.enable()
