import numpy
import triton.runtime.interpreter as I


class Numbers:
    def __getattr__(self, name):
        compute()
        return getattr(numpy, name)


I.np = Numbers()
